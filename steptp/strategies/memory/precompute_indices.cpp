/// precompute_indices: a calculated subscript is read from a table of integers, which is made first.
///   D=f(A_{a+c});   -->   E_{a,c}=a+c; D=f(A_{E_{a,c}});
/// Safe because the table holds the value of the calculation for every value of the loops in it, in i64, which is wide
/// enough for any subscript.
#include <algorithm>
#include <set>

#include "steptp/analysis/interval.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::pattern_match, "calculated",
     "a subscript of a read, for the first time in its expression, is more than a number or an index and reads "
     "nothing"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "not-written", "the tensor read is not written in the expression, so that no dependence is hidden"},
    {Check::fact, "in-range",
     "the calculation stays within the tensor for all values of the loops, without conditions"},
    {Check::order, "lanes", "no index of a V loop is in the calculation: its lanes stay beside each other"},
    {Check::size, "memory", "the table has at most 2^31 elements"},
};
constexpr const Precondition& kCalculated = kPublished[0];
constexpr const Precondition& kNotWritten = kSafety[0];
constexpr const Precondition& kInRange = kSafety[1];
constexpr const Precondition& kLanes = kSafety[2];
constexpr const Precondition& kMemory = kSafety[3];
constexpr Component kModifies[] = {Component::expressions, Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::expressions};

bool is_calculated(const Index& index) { return !index.is_constant() && !index.as_variable() && !reads_tensor(index); }

/// A calculation and the loops in it, outermost first.
struct Calculation {
  std::uint32_t expression = 0;
  Index index;
  std::vector<const Loop*> loops;
};

std::vector<const Loop*> loops_of(const Statement& statement, const Index& index) {
  std::set<std::string> used;
  for_each_variable(index, [&used](const std::string& name) { used.insert(name); });
  std::vector<const Loop*> out;
  for (const Loop* loop : statement.loops) {
    if (used.contains(loop->index)) out.push_back(loop);
  }
  return out;
}

bool is_written_in(View& view, const std::string& tensor, std::uint32_t expression) {
  const AccessTable& table = view.table();
  const std::vector<std::size_t>& writes = table.tensors.at(tensor).writes;
  return std::any_of(writes.begin(), writes.end(), [&](std::size_t number) {
    return table.statements[table.accesses[number].statement].items[0] == expression;
  });
}

Interval values_of(const Calculation& calculation) {
  Ranges ranges;
  for (const Loop* loop : calculation.loops) {
    ranges.variables[loop->index] = {0, static_cast<Wide>(loop->extent) - 1};
  }
  return range_of(calculation.index, ranges);
}

bool is_in_range(View& view, const Calculation& calculation, const Ref& ref, std::size_t subscript) {
  const std::vector<std::int64_t>& shape = view.shape_of(ref.tensor).dimensions;
  const Interval inside{0, static_cast<Wide>(shape[subscript]) - 1};
  return inside.contains(values_of(calculation));
}

/// The equation with the table in place of the calculation, in every read in which that is safe.
Item with_table(View& view, const Statement& statement, const Calculation& calculation, const Index& entry) {
  Rewriter rewriter;
  rewriter.ref = [&](const RefPtr& ref) {
    std::vector<Index> subscripts = ref->subscripts;
    bool changed = false;
    for (std::size_t i = 0; i < subscripts.size(); ++i) {
      if (!(subscripts[i] == calculation.index) || is_written_in(view, ref->tensor, calculation.expression) ||
          !is_in_range(view, calculation, *ref, i)) {
        continue;
      }
      subscripts[i] = entry;
      changed = true;
    }
    return changed ? make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts)) : ref;
  };
  // The left side is a write of a tensor written here; what its subscripts read is not.
  const Equation& old = *statement.equation;
  return stands_for(make_equation(rewrite(old.left, rewriter), rewrite(old.right, rewriter)), old);
}

/// The statements of the expression in which the loops of the calculation are the same.
bool has_loops(const Statement& statement, const Calculation& calculation) {
  return statement.items[0] == calculation.expression && loops_of(statement, calculation.index) == calculation.loops;
}

std::optional<Site> first_use(View& view, const Calculation& calculation) {
  for (const Access& access : view.table().accesses) {
    if (access.is_write || access.site.part != Site::Part::right || access.site.number) continue;
    if (!has_loops(view.table().statements[access.statement], calculation)) continue;
    if (is_written_in(view, access.ref->tensor, calculation.expression)) continue;
    for (std::uint32_t i = 0; i < access.ref->subscripts.size(); ++i) {
      if (!(access.ref->subscripts[i] == calculation.index) || !is_in_range(view, calculation, *access.ref, i))
        continue;
      Site site = access.site;
      site.number = i;
      return site;
    }
  }
  return std::nullopt;
}

/// The read whose subscript an address names.
const Access* find_read(View& view, const Site& site) {
  if (site.part != Site::Part::right || !site.number) return nullptr;
  Site read = site;
  read.number.reset();
  for (const Access& access : view.table().accesses) {
    if (access.site == read && !access.is_write) {
      return *site.number < access.ref->subscripts.size() ? &access : nullptr;
    }
  }
  return nullptr;
}

Result<Calculation, Refusal> plan(View& view, const Site& site) {
  const Access* read = find_read(view, site);
  if (!read) return Refusal{&kPlace, site, "there is no subscript of a read at this address", {}};
  const Index& index = read->ref->subscripts[*site.number];
  if (!is_calculated(index)) return Refusal{&kCalculated, site, "a number, an index or a read", {}};
  const Statement& statement = view.table().statements[read->statement];
  const Calculation out{statement.items[0], index, loops_of(statement, index)};
  const std::string& tensor = read->ref->tensor;
  if (is_written_in(view, tensor, out.expression)) {
    return Refusal{&kNotWritten, site, concat(tensor, " is written in the expression"), {{"tensor", tensor}}};
  }
  if (!is_in_range(view, out, *read->ref, *site.number)) {
    return Refusal{&kInRange, site, concat("it is not always a subscript of ", tensor), {{"tensor", tensor}}};
  }
  for (const Loop* loop : out.loops) {
    if (loop->kind != LoopKind::vectorized) continue;
    return Refusal{&kLanes, site, concat(loop->index, " is the index of a V loop"), {{"loop", loop->index}}};
  }
  if (elements_of(out.loops, kMaxTensorElements) > kMaxTensorElements) {
    return Refusal{&kMemory, site, "the table would have more than 2^31 elements", {}};
  }
  const auto first = first_use(view, out);
  if (first && !(*first == site)) {
    return Refusal{&kCalculated, site, concat("it stands first at ", to_text(*first)), {{"first", to_text(*first)}}};
  }
  return out;
}

struct Built {
  Program program;
  std::string table;
};

Built build(View& view, const Calculation& calculation) {
  Built out{view.program(), view.fresh_tensors().next()};
  std::vector<Index> places;
  std::vector<std::int64_t> extents;
  for (const Loop* loop : calculation.loops) {
    places.push_back(Index::variable(loop->index));
    extents.push_back(loop->extent);
  }
  const Index entry = Index::read(make_ref(out.table, DType::i64, Scope::global, places));
  for (const Statement& statement : view.table().statements) {
    if (!has_loops(statement, calculation)) continue;
    out.program = with_items(out.program, statement.items, {with_table(view, statement, calculation, entry)});
  }
  const BoxLoops box = loops_over(extents);
  Rewriter rename;
  for (std::size_t i = 0; i < places.size(); ++i) {
    rename.variables.emplace(calculation.loops[i]->index, box.indices[i]);
  }
  const RefPtr left = make_ref(out.table, DType::i64, Scope::global, box.indices);
  const Item nest = make_nest(box.loops, nullptr, {make_equation(left, rewrite(to_expr(calculation.index), rename))});
  const std::vector<std::uint32_t> address = {calculation.expression};
  out.program = with_items(out.program, address, {nest, item_at(out.program, address)});
  return out;
}

void choices(View& view, Listing& listing) {
  for (const Access& access : view.table().accesses) {
    if (access.is_write || access.site.part != Site::Part::right || access.site.number) continue;
    for (std::uint32_t i = 0; i < access.ref->subscripts.size(); ++i) {
      Site site = access.site;
      site.number = i;
      if (listing.allows(plan(view, site))) listing.offer({site, {}, false});
    }
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto calculation = plan(view, choice.at);
  if (!calculation) return calculation.error();
  Built built = build(view, *calculation);
  Applied out;
  out.facts.matched = {{"subscript", choice.at}};
  out.facts.removed = out.facts.matched;
  out.facts.added = {{"table", item_site({calculation->expression})}};
  out.facts.holds = {{&kCalculated, {{"loops", static_cast<std::int64_t>(calculation->loops.size())}}},
                     {&kNotWritten, {}},
                     {&kInRange, {}},
                     {&kMemory, {{"elements", elements_of(calculation->loops, kMaxTensorElements)}}}};
  out.facts.values = {{"tensor", built.table}};
  out.facts.because =
      concat(built.table, " holds the value of the calculation for all values of the loops in it, and is read only");
  out.program = std::move(built.program);
  return out;
}

}  // namespace

const Strategy& precompute_indices_strategy() {
  static constexpr Strategy kStrategy = {
      "precompute_indices",
      Level::memory,
      "a calculated subscript is read from a table of integers, which is made first",
      "D=f(A_{a+c});   -->   E_{a,c}=a+c; D=f(A_{E_{a,c}});",
      "the table holds the value of the calculation for every value of the loops in it, in i64, which is wide enough "
      "for any subscript",
      "compute_inline",
      {"@input A f32[8,6]\n@input C f32[3]\n@output D f32[8,4]\n"
       "B^{8}_{tx=0}L^{4}_{a=0}L^{3}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,a+c}*C^{f32,g}_{c};];\n",
       R"({"at":"0/0:right.1.0[1]"})"},
      {},
      kPublished,
      kSafety,
      kModifies,
      kIntroduces,
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
