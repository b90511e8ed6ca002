// Folds that stand already, and the way into those that do not (docs/decisions/0011). A fold binds variables by height
// and position; to look inside, it is opened: its variables get names of their own, and what comes out is folded again.
#include <algorithm>

#include "steptp/prove/arena.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/reducer.h"

namespace steptp::forms {

PolynomialId Reductions::identity(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::add: return constant(0);
    case ArithmeticOp::multiply: return constant(1);
    case ArithmeticOp::max: return negate(infinity());
    case ArithmeticOp::min: return infinity();
    default: throw GiveUp{"an accumulation with no identity"};
  }
}

PolynomialId Reductions::reduce(ArithmeticOp op, std::vector<VariableId> variables,
                                const std::vector<ConditionId>& conditions, PolynomialId body) {
  const Deeper deeper(budget_);
  budget_.spend(8);
  const PolynomialId result = Reducer(arena_, op, std::move(variables), conditions, body).result();
  // sum(x) >= 0 where x >= 0.
  if (op != ArithmeticOp::add || !nonnegative_.contains(body)) return result;
  const bool is_anywhere = nonnegative_anywhere_.contains(body);
  return arena_.signs.as_nonnegative(result, false, is_anywhere ? Variables::anything : Variables::in_range);
}

OpenedFold Reductions::opened(GeneratorId fold) {
  const Generator node = generators_[fold];
  const std::uint32_t height = generators_.traits(fold).height;
  OpenedFold result;
  Substitution map;
  for (std::size_t i = 0; i < node.ranges.size(); ++i) {
    result.variables.push_back(arena_.known.new_variable(node.ranges[i].first, node.ranges[i].second));
    map[bound_variable(height, static_cast<std::uint32_t>(i))] = arena_.affines.variable(result.variables.back());
  }
  for (const ConditionId condition : node.conditions) {
    result.conditions.push_back(arena_.substitute.condition(condition, map));
  }
  result.body = arena_.substitute.polynomial(node.polynomials[0], map);
  return result;
}

PolynomialId Reductions::with_range(GeneratorId fold, std::size_t number, std::pair<std::int64_t, std::int64_t> range) {
  const Generator node = generators_[fold];
  const std::uint32_t height = generators_.traits(fold).height;
  Substitution map;
  std::vector<VariableId> variables;
  for (std::size_t i = 0; i < node.ranges.size(); ++i) {
    const VariableId bound = bound_variable(height, static_cast<std::uint32_t>(i));
    const auto& [low, high] = i == number ? range : node.ranges[i];
    if (low == high) {
      map[bound] = Affine::number(low);
    } else {
      variables.push_back(arena_.known.new_variable(low, high));
      map[bound] = arena_.affines.variable(variables.back());
    }
  }
  std::vector<ConditionId> conditions;
  for (const ConditionId condition : node.conditions) conditions.push_back(arena_.substitute.condition(condition, map));
  const PolynomialId body = arena_.substitute.polynomial(node.polynomials[0], map);
  if (variables.empty() && conjunction(conditions) == arena_.conditions.always()) return body;
  return reduce(static_cast<ArithmeticOp>(node.tag), std::move(variables), conditions, body);
}

bool Reductions::is_filled(const Generator& fold, std::uint32_t height) {
  if (fold.conditions.empty()) return true;
  for (const bool at_start : {true, false}) {
    Substitution place;
    for (std::size_t i = 0; i < fold.ranges.size(); ++i) {
      place[bound_variable(height, static_cast<std::uint32_t>(i))] =
          Affine::number(at_start ? fold.ranges[i].first : fold.ranges[i].second);
    }
    const bool holds = std::all_of(fold.conditions.begin(), fold.conditions.end(), [&](ConditionId condition) {
      return is_index_condition(condition) && truth(arena_.substitute.condition(condition, place)) == Truth::yes;
    });
    if (holds) return true;
  }
  return false;
}

}  // namespace steptp::forms
