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

Wide greatest_subscript(const AccessTable& table, const Access& access, const Index& subscript, bool& exact) {
  const Statement& statement = table.statements[access.statement];
  SearchProblem problem{loop_box(statement), path_conditions(statement, access), &subscript, {}};
  const Wide bound = range_of(subscript, problem.ranges).high;
  if (problem.conditions.empty() && interval_is_exact(subscript)) return bound;
  if (reads_tensor(subscript)) {
    exact = false;
    return bound;
  }
  if (const auto range = exact_range(problem, kBudget)) return range->high;
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
