#include "steptp/analysis/shapes.h"

#include <algorithm>

#include "steptp/analysis/box_search.h"

namespace steptp {

namespace {

constexpr std::uint64_t kBudget = 20'000;

std::int64_t to_dimension(Wide value) { return static_cast<std::int64_t>(std::clamp<Wide>(value, 1, INT64_MAX)); }

/// Products of loop variables are exact under interval arithmetic when no variable occurs twice.
bool interval_is_exact(const Index& index) {
  std::set<std::string> seen;
  bool repeated = false;
  for_each_variable(index, [&](const std::string& name) { repeated = repeated || !seen.insert(name).second; });
  if (repeated) return false;
  return std::all_of(index.terms().begin(), index.terms().end(), [](const IndexTerm& term) {
    return std::all_of(term.factors.begin(), term.factors.end(),
                       [](const IndexAtom& atom) { return std::holds_alternative<LoopVariable>(atom); });
  });
}

/// What holds part by part.
void add_parts(const PathCondition& whole, std::vector<PathCondition>& out) {
  const auto* logic = std::get_if<Logic>(&whole.condition->node);
  if (!logic || (logic->op == LogicOp::conjunction) != whole.holds) return out.push_back(whole);
  for (const ExprPtr& part : logic->operands) add_parts({part, whole.holds}, out);
}

/// Splits the conditions into those that a subscript's loops have to do with, be it through others, and the rest.
/// Searches take a time that grows with the loops they look at.
std::pair<std::vector<PathCondition>, std::vector<PathCondition>> by_subscript(
    const std::vector<PathCondition>& conditions, const Index& subscript) {
  std::pair<std::vector<PathCondition>, std::vector<PathCondition>> out;
  auto& [own, others] = out;
  for (const PathCondition& condition : conditions) add_parts(condition, others);
  std::set<std::string> names;
  for_each_variable(subscript, [&](const std::string& name) { names.insert(name); });
  const auto has_to_do = [&](const PathCondition& condition) {
    bool shares = false;
    for_each_variable(*condition.condition, [&](const std::string& name) { shares = shares || names.contains(name); });
    return shares;
  };
  for (auto next = std::find_if(others.begin(), others.end(), has_to_do); next != others.end();
       next = std::find_if(others.begin(), others.end(), has_to_do)) {
    for_each_variable(*next->condition, [&](const std::string& name) { names.insert(name); });
    own.push_back(std::move(*next));
    others.erase(next);
  }
  return out;
}

/// -1 where the guards let no iteration through, as that of a rest which there is not.
Wide greatest_subscript(const AccessTable& table, const Access& access, const Index& subscript, bool& exact) {
  const Statement& statement = table.statements[access.statement];
  SearchProblem problem{loop_box(statement), path_conditions(statement, access), &subscript, Interval::everything()};
  const Wide bound = range_of(subscript, problem.ranges).high;
  if (problem.conditions.empty() && interval_is_exact(subscript)) return bound;
  if (reads_tensor(subscript)) {
    exact = false;
    return bound;
  }
  auto [own, others] = by_subscript(problem.conditions, subscript);
  if (!others.empty()) {
    problem.conditions = std::move(others);
    const SearchAnswer reached = find_inside(problem, kBudget);
    if (reached.kind == SearchAnswer::Kind::none) return -1;
    exact = exact && reached.kind != SearchAnswer::Kind::gave_up;
  }
  problem.conditions = std::move(own);
  if (const auto range = exact_range(problem, kBudget)) return range->high;
  if (find_inside(problem, kBudget).kind == SearchAnswer::Kind::none) return -1;
  exact = false;
  return bound;
}

}  // namespace

InferredShape infer_shape(const AccessTable& table, const TensorFacts& tensor) {
  InferredShape shape;
  if (tensor.known) {
    shape.dimensions = tensor.known->shape;
    return shape;
  }
  shape.dimensions.assign(tensor.rank, 1);
  for (const std::size_t number : tensor.writes) {
    const Access& access = table.accesses[number];
    const std::size_t rank = std::min(tensor.rank, access.ref->subscripts.size());
    for (std::size_t i = 0; i < rank; ++i) {
      const Wide greatest = greatest_subscript(table, access, access.ref->subscripts[i], shape.exact);
      shape.dimensions[i] = std::max(shape.dimensions[i], to_dimension(greatest + 1));
    }
  }
  return shape;
}

std::map<std::string, InferredShape> infer_shapes(const AccessTable& table) {
  std::map<std::string, InferredShape> shapes;
  for (const auto& [name, tensor] : table.tensors) shapes.emplace(name, infer_shape(table, tensor));
  return shapes;
}

}  // namespace steptp
