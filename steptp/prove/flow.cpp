#include "steptp/prove/flow.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace steptp::forms {

namespace {

/// The integers that a variable can hold: those of its type, its domain and its given values.
Interval integers_of(const Variable& variable) {
  Interval out{info(variable.dtype).least, info(variable.dtype).greatest};
  if (variable.domain.kind == Domain::Kind::range) {
    constexpr double kFar = 0x1p62;  // beyond, the bounds of the type are the closer ones
    if (variable.domain.low > -kFar && variable.domain.low < kFar) {
      out.low = std::max(out.low, Wide{static_cast<std::int64_t>(std::ceil(variable.domain.low))});
    }
    if (variable.domain.high > -kFar && variable.domain.high < kFar) {
      out.high = std::min(out.high, Wide{static_cast<std::int64_t>(std::ceil(variable.domain.high)) - 1});
    }
  }
  if (!variable.values.empty()) {
    const auto [least, greatest] = std::minmax_element(variable.values.begin(), variable.values.end());
    out = {static_cast<std::int64_t>(*least), static_cast<std::int64_t>(*greatest)};
  }
  return out;
}

}  // namespace

Shared::Shared(Arena& where, const Signature& known_variables) : arena(where), signature(known_variables) {
  for (const Variable& variable : signature.variables) {
    numbers_.emplace(variable.name, static_cast<std::uint32_t>(arena.inputs.size()));
    InputFacts facts;
    facts.positive = variable.domain.kind == Domain::Kind::positive;
    facts.nonzero = variable.domain.kind == Domain::Kind::nonzero;
    facts.may_be_infinite = variable.domain.kind == Domain::Kind::masked;
    if (variable.domain.kind == Domain::Kind::range) {
      facts.positive = variable.domain.low > 0;
      facts.nonzero = variable.domain.low > 0 || variable.domain.high <= 0;
    }
    if (!variable.values.empty()) {
      const auto all = [&](auto holds) { return std::all_of(variable.values.begin(), variable.values.end(), holds); };
      facts.positive = all([](double value) { return value > 0; });
      facts.nonzero = all([](double value) { return value > 0 || value < 0; });
      facts.may_be_infinite = !all([](double value) { return std::isfinite(value); });
      facts.is_below_infinity = all([](double value) { return value < std::numeric_limits<double>::infinity(); });
      facts.may_be_nan = !all([](double value) { return !std::isnan(value); });
      if (auto rule = two_valued(variable)) tables_.emplace(arena.inputs.size(), std::move(*rule));
    }
    facts.is_integer = !is_float(variable.dtype);
    if (facts.is_integer) facts.integers = integers_of(variable);
    arena.inputs.push_back(facts);
  }
}

std::optional<std::uint32_t> Shared::known(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

const TwoValuedTable* Shared::table(std::uint32_t number) const {
  const auto found = tables_.find(number);
  return found == tables_.end() ? nullptr : &found->second;
}

const std::vector<VariableId>& Shared::element(const std::vector<std::int64_t>& shape) {
  const auto [place, is_new] = elements_.try_emplace(shape);
  if (is_new) {
    for (const std::int64_t extent : shape) place->second.push_back(arena.known.new_variable(0, extent - 1));
  }
  return place->second;
}

std::vector<Affine> Shared::subscripts(const std::vector<std::int64_t>& shape) {
  std::vector<Affine> out;
  for (const VariableId id : element(shape)) {
    const Interval range = arena.known.range(id);
    out.push_back(range.is_point() ? Affine::number(static_cast<std::int64_t>(range.low)) : arena.affines.variable(id));
  }
  return out;
}

Flow::Flow(Shared& shared, const Program& program, bool unrolls)
    : shared_(shared),
      arena_(shared.arena),
      program_(program),
      table_(collect_accesses(program)),
      shapes_(infer_shapes(table_)),
      unrolls_(unrolls),
      hazards_(shared.arena) {
  for (std::size_t i = 0; i < table_.statements.size(); ++i) {
    writers_[table_.statements[i].equation->left->tensor].push_back(i);
  }
  find_recurrences();
}

const std::vector<std::int64_t>& Flow::shape(const std::string& tensor) const { return shapes_.at(tensor).dimensions; }

void Flow::set_number(const Version& version, VersionNumbers numbers) {
  numbers_[version] = numbers;
  done_.clear();
}

void Flow::forget_numbers() {
  numbers_.clear();
  renew_recurrences();
}

Value Flow::output(const std::string& name, const std::vector<Affine>& element) {
  prepare_recurrences(table_.statements.size());
  depth_ = 0;
  hazard_ = kHarmless;
  return resolve(name, element, kEnd, {}, writers_[name].size());
}

std::vector<Version> Flow::versions() const {
  // A version per tensor and top-level nest after which it is read; numbered by how many writers have run.
  const std::set<Version> wanted = versions_read();
  std::vector<std::pair<std::uint32_t, Version>> found;
  for (const auto& [tensor, statements] : writers_) {
    if (table_.tensors.at(tensor).effective_scope() != Scope::global) continue;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const std::uint32_t nest = table_.statements[statements[i]].items[0];
      const bool is_last = i + 1 == statements.size() || table_.statements[statements[i + 1]].items[0] != nest;
      Version version{tensor, i + 1};
      if (is_last && wanted.contains(version)) found.push_back({nest, std::move(version)});
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<Version> result;
  result.reserve(found.size());
  for (auto& [nest, version] : found) result.push_back(std::move(version));
  return result;
}

bool Flow::is_read_where_written(const std::string& tensor) const {
  const TensorFacts& facts = table_.tensors.at(tensor);
  return std::any_of(facts.reads.begin(), facts.reads.end(), [&](std::size_t number) {
    const Access& read = table_.accesses[number];
    if (read.is_accumulator) return false;
    const std::uint32_t nest = table_.statements[read.statement].items[0];
    return std::any_of(facts.writes.begin(), facts.writes.end(), [&](std::size_t write) {
      return table_.statements[table_.accesses[write].statement].items[0] == nest;
    });
  });
}

std::size_t Flow::writers_up_to(const std::vector<std::size_t>& writers, std::uint32_t nest) const {
  const auto end = std::upper_bound(
      writers.begin(), writers.end(), nest,
      [this](std::uint32_t limit, std::size_t writer) { return limit < table_.statements[writer].items[0]; });
  return static_cast<std::size_t>(end - writers.begin());
}

std::set<Version> Flow::versions_read() const {
  std::set<Version> result;
  const auto note = [&](const std::string& tensor, std::uint32_t nest) {
    const auto writers = writers_.find(tensor);
    if (writers == writers_.end()) return;
    result.insert({tensor, writers_up_to(writers->second, nest)});
  };
  for (const Access& access : table_.accesses) {
    if (!access.is_write) note(access.ref->tensor, table_.statements[access.statement].items[0]);
  }
  for (const Variable& variable : program_.signature.variables) {
    if (variable.role == Role::output) note(variable.name, std::numeric_limits<std::uint32_t>::max());
  }
  return result;
}

Value Flow::value(const Version& version, const std::vector<Affine>& element) {
  if (version.writers > 0) prepare_recurrences(writers_.at(version.tensor)[version.writers - 1] + 1);
  depth_ = 0;
  hazard_ = kHarmless;
  return resolve(version.tensor, element, kEnd, {}, version.writers);
}

}  // namespace steptp::forms
