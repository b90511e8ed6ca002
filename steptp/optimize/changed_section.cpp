// This is a part of what verdicts rest on, so it shares no code with the planner, which cuts programs as well.
#include "steptp/optimize/changed_section.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/shapes.h"
#include "steptp/optimize/numbers_only.h"

namespace steptp {

namespace {

struct Range {
  std::size_t first = 0;
  std::size_t end = 0;

  [[nodiscard]] bool has(std::size_t nest) const { return first <= nest && nest < end; }
};

/// A program with its accesses, cut at a range of its expressions.
class Cut {
 public:
  Cut(const Program& program, Range range) : program_(program), range_(range), table_(collect_accesses(program)) {}

  /// The tensors that cross the border, as variables of the section; nothing where one has no such meaning.
  [[nodiscard]] std::optional<std::map<std::string, Variable>> variables() {
    std::map<std::string, Variable> out;
    for (const auto& [name, facts] : table_.tensors) {
      const Uses uses = uses_of(facts);
      if (!uses.read_inside && !uses.written_inside) continue;
      const bool is_output = facts.known && facts.known->role == Role::output;
      // What is written before and inside is changed in place: it comes in and goes out under one name.
      if (uses.written_inside && uses.written_before) return std::nullopt;
      const bool goes_out = uses.written_inside && (uses.used_behind || is_output);
      if (!goes_out && uses.written_inside) continue;
      if (facts.scope.scope != Scope::global) return std::nullopt;
      auto variable = variable_of(name, facts, goes_out);
      if (!variable) return std::nullopt;
      out.emplace(name, *std::move(variable));
    }
    return out;
  }

  [[nodiscard]] Program section(const Signature& signature) const {
    Program out;
    out.name = program_.name;
    out.signature = signature;
    out.nests.assign(program_.nests.begin() + static_cast<std::ptrdiff_t>(range_.first),
                     program_.nests.begin() + static_cast<std::ptrdiff_t>(range_.end));
    return out;
  }

 private:
  struct Uses {
    bool read_inside = false;
    bool written_inside = false;
    bool written_before = false;
    bool used_behind = false;
  };

  [[nodiscard]] std::size_t nest_of(const Access& access) const {
    return table_.statements[access.statement].items.front();
  }

  [[nodiscard]] Uses uses_of(const TensorFacts& facts) const {
    Uses out;
    for (const std::size_t number : facts.reads) {
      const std::size_t nest = nest_of(table_.accesses[number]);
      if (range_.has(nest)) out.read_inside = true;
      if (nest >= range_.end) out.used_behind = true;
    }
    for (const std::size_t number : facts.writes) {
      const std::size_t nest = nest_of(table_.accesses[number]);
      if (range_.has(nest)) out.written_inside = true;
      if (nest < range_.first) out.written_before = true;
      if (nest >= range_.end) out.used_behind = true;
    }
    return out;
  }

  [[nodiscard]] std::optional<Variable> variable_of(const std::string& name, const TensorFacts& facts, bool goes_out) {
    Variable out;
    if (facts.known) out = *facts.known;
    const bool is_given = facts.known && facts.known->role != Role::output && facts.writes.empty();
    if (goes_out) {
      out.role = Role::output;
    } else if (!is_given) {
      if (facts.writes.empty() || !numbers_.are_in(name)) return std::nullopt;
      out.role = Role::input;
      out.domain = {};
    }
    if (facts.known) return out;
    // Of what is written: guards that are no boxes make it look larger, never smaller.
    out.name = name;
    out.dtype = facts.dtype;
    out.shape = infer_shape(table_, facts).dimensions;
    return out;
  }

  const Program& program_;
  Range range_;
  AccessTable table_;
  Numbers numbers_{table_};
};

/// The smaller one in each dimension: what both sides write lies in both. Where it were not so, `check` would find an
/// access out of range, or an element of an output that nobody writes.
bool take_smaller(std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& other) {
  if (shape.size() != other.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = std::min(shape[i], other[i]);
  return true;
}

bool agree(Variable& left, const Variable& right) {
  if (!take_smaller(left.shape, right.shape)) return false;
  Variable other = right;
  other.shape = left.shape;
  return left == other;
}

/// What a tensor is for both sides; nothing where they disagree.
std::optional<Signature> merged(const Program& order, const std::map<std::string, Variable>& left,
                                const std::map<std::string, Variable>& right, const TensorShapes& shapes) {
  std::map<std::string, Variable> all = left;
  for (const auto& [name, variable] : right) {
    const auto [at, is_new] = all.emplace(name, variable);
    if (is_new ? variable.role == Role::output : !agree(at->second, variable)) return std::nullopt;
  }
  for (const auto& [name, variable] : left) {
    if (variable.role == Role::output && !right.contains(name)) return std::nullopt;
  }
  for (auto& [name, variable] : all) {
    const auto known = shapes.find(name);
    if (known != shapes.end() && !take_smaller(variable.shape, known->second)) return std::nullopt;
  }
  Signature out;
  for (const Variable& variable : order.signature.variables) {
    if (const auto found = all.extract(variable.name)) out.variables.push_back(found.mapped());
  }
  for (const auto& [name, variable] : all) out.variables.push_back(variable);
  return out;
}

/// The ranges without what both begin and end with.
std::pair<Range, Range> ranges_of(const Program& before, const Program& after) {
  const std::size_t least = std::min(before.nests.size(), after.nests.size());
  const auto same = [](const NestPtr& left, const NestPtr& right) { return left == right || equal(*left, *right); };
  std::size_t first = 0;
  while (first < least && same(before.nests[first], after.nests[first])) ++first;
  std::size_t behind = 0;
  while (behind < least - first &&
         same(before.nests[before.nests.size() - 1 - behind], after.nests[after.nests.size() - 1 - behind])) {
    ++behind;
  }
  return {{first, before.nests.size() - behind}, {first, after.nests.size() - behind}};
}

}  // namespace

TensorShapes shapes_of(const Program& program) {
  const AccessTable table = collect_accesses(program);
  TensorShapes out;
  for (const auto& [name, facts] : table.tensors) {
    if (!facts.known) out.emplace(name, infer_shape(table, facts).dimensions);
  }
  return out;
}

std::optional<std::pair<Program, Program>> changed_sections(const Program& before, const Program& after,
                                                            const TensorShapes& shapes) {
  const auto [left, right] = ranges_of(before, after);
  if (left.first == left.end || right.first == right.end) return std::nullopt;
  if (left.end - left.first == before.nests.size()) return std::nullopt;  // nothing is cut off
  Cut old_cut(before, left);
  Cut new_cut(after, right);
  const auto old_variables = old_cut.variables();
  const auto new_variables = new_cut.variables();
  if (!old_variables || !new_variables) return std::nullopt;
  const auto signature = merged(before, *old_variables, *new_variables, shapes);
  if (!signature) return std::nullopt;
  return std::pair(old_cut.section(*signature), new_cut.section(*signature));
}

}  // namespace steptp
