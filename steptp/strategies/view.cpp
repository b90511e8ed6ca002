#include "steptp/strategies/view.h"

#include <algorithm>
#include <utility>

namespace steptp {

namespace {

constexpr std::int64_t kMaxTrial = 1 << 21;

void collect(const Nest& nest, std::vector<std::uint32_t>& items, std::vector<const Nest*>& around,
             std::vector<PlacedNest>& out) {
  out.push_back({items, &nest, around});
  around.push_back(&nest);
  for (std::uint32_t i = 0; i < nest.items.size(); ++i) {
    const auto* inner = std::get_if<NestPtr>(&nest.items[i]);
    if (!inner) continue;
    items.push_back(i);
    collect(**inner, items, around, out);
    items.pop_back();
  }
  around.pop_back();
}

void reserve_indices(const Nest& nest, NameSource& names) {
  for (const Loop& loop : nest.loops) names.reserve(loop.index);
  for (const Item& item : nest.items) {
    if (const auto* inner = std::get_if<NestPtr>(&item)) reserve_indices(**inner, names);
  }
}

}  // namespace

View::View(const Program& program) : program_(program) {}
View::~View() = default;

const AccessTable& View::table() {
  if (!table_) table_ = collect_accesses(program_);
  return *table_;
}

const ValueFacts& View::facts() {
  if (!facts_) facts_ = derive_value_facts(table());
  return *facts_;
}

const algebra::Facts& View::real_facts() {
  if (!real_facts_) real_facts_.emplace(table(), facts());
  return *real_facts_;
}

const InferredShape& View::shape_of(const std::string& tensor) {
  const auto [known, fresh] = shapes_.try_emplace(tensor);
  if (fresh) known->second = infer_shape(table(), table().tensors.at(tensor));
  return known->second;
}

const std::vector<KernelFacts>& View::kernels() {
  if (!kernels_) kernels_ = collect_kernels(table());
  return *kernels_;
}

bool View::has_scoped_data() {
  if (!has_scoped_data_) {
    has_scoped_data_ = std::any_of(table().tensors.begin(), table().tensors.end(),
                                   [](const auto& entry) { return entry.second.scope != Scope::global; });
  }
  return *has_scoped_data_;
}

const std::vector<PlacedNest>& View::nests() {
  if (!nests_) {
    nests_.emplace();
    std::vector<const Nest*> around;
    for (std::uint32_t i = 0; i < program_.nests.size(); ++i) {
      std::vector<std::uint32_t> items = {i};
      collect(*program_.nests[i], items, around, *nests_);
    }
  }
  return *nests_;
}

const std::vector<LocalAccesses>& View::touched(std::uint32_t expression) {
  if (!touched_) {
    touched_.emplace(program_.nests.size());
    for (const auto& [name, tensor] : table().tensors) {
      for (const bool writes : {true, false}) {
        for (const std::size_t number : writes ? tensor.writes : tensor.reads) {
          const Access& access = table().accesses[number];
          std::vector<LocalAccesses>& here = (*touched_)[table().statements[access.statement].items[0]];
          if (here.empty() || here.back().tensor != &name) here.push_back({&name, {}, {}});
          (writes ? here.back().writes : here.back().reads).push_back(number);
        }
      }
    }
  }
  return (*touched_)[expression];
}

// The order of the text is the order of addresses.
const PlacedNest* View::find_nest(std::span<const std::uint32_t> items) {
  const auto before = [](const PlacedNest& placed, std::span<const std::uint32_t> wanted) {
    return std::lexicographical_compare(placed.items.begin(), placed.items.end(), wanted.begin(), wanted.end());
  };
  const auto found = std::lower_bound(nests().begin(), nests().end(), items, before);
  if (found == nests().end() || !std::equal(found->items.begin(), found->items.end(), items.begin(), items.end())) {
    return nullptr;
  }
  return &*found;
}

const Statement* View::find_statement(std::span<const std::uint32_t> items) {
  const auto before = [](const Statement& statement, std::span<const std::uint32_t> wanted) {
    return std::lexicographical_compare(statement.items.begin(), statement.items.end(), wanted.begin(), wanted.end());
  };
  const std::vector<Statement>& all = table().statements;
  const auto found = std::lower_bound(all.begin(), all.end(), items, before);
  if (found == all.end() || !std::equal(found->items.begin(), found->items.end(), items.begin(), items.end())) {
    return nullptr;
  }
  return &*found;
}

NameSource View::fresh_tensors() {
  NameSource names(tensor_name);
  for (const auto& [name, facts] : table().tensors) names.reserve(name);
  return names;
}

NameSource View::fresh_indices(std::uint32_t expression) {
  NameSource names(index_name);
  reserve_indices(*program_.nests[expression], names);
  return names;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> found = {1};
  const auto times = [&found](std::int64_t prime, int power) {
    const std::size_t before = found.size();
    std::int64_t factor = 1;
    for (int i = 0; i < power; ++i) {
      factor *= prime;
      for (std::size_t k = 0; k < before; ++k) found.push_back(found[k] * factor);
    }
  };
  for (std::int64_t prime = 2; prime <= kMaxTrial && prime <= n / prime; ++prime) {
    int power = 0;
    for (; n % prime == 0; n /= prime) ++power;
    if (power > 0) times(prime, power);
  }
  if (n > 1) times(n, 1);
  std::sort(found.begin(), found.end());
  return found;
}

Site item_site(std::vector<std::uint32_t> items) { return {std::move(items), Site::Part::item, {}, {}}; }

Site loop_site(std::vector<std::uint32_t> items, std::size_t loop) {
  return {std::move(items), Site::Part::loop, {}, static_cast<std::uint32_t>(loop)};
}

Site guard_site(std::vector<std::uint32_t> items) { return {std::move(items), Site::Part::guard, {}, {}}; }

}  // namespace steptp
