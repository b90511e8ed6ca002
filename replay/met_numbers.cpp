// Which comparisons have one answer because what is compared is one number.
#include <algorithm>
#include <set>
#include <string>

#include "replay/met.h"

namespace steptp::replayer {

namespace {

constexpr std::uint64_t kFewEvaluations = 6;

bool reads_data(const Expr& expr) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr&) { found = true; });
  return found;
}

}  // namespace

/// Only NaN and infinities tell the two sides apart, and what makes them is asked by itself.
bool Met::compares_the_same(const Place& place) {
  const auto* compare = std::get_if<Compare>(&place.expr->node);
  return compare && equal(*compare->operands[place.part], *compare->operands[place.part + 1]);
}

/// Numbers that are made by analytic operations alone, through all tensors.
static bool is_smooth(const Expr& expr, const Layout& layout, std::set<std::string>& known) {
  if (const auto* read = std::get_if<Read>(&expr.node)) {
    const Tensor& tensor = layout.tensor(read->ref->tensor);
    if (tensor.known && tensor.known->role != Role::output) return true;
    if (!is_float(tensor.dtype)) return false;
    if (!known.insert(read->ref->tensor).second) return true;
    return std::all_of(tensor.writers.begin(), tensor.writers.end(), [&](std::size_t writer) {
      const Statement& statement = layout.statements()[writer];
      return statement.limits_are_all && is_smooth(*statement.equation->right, layout, known);
    });
  }
  if (const auto* select = std::get_if<Select>(&expr.node); select && reads_data(*select->condition)) return false;
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const Function function = call->function;
    const bool is_broken = function == Function::floor || function == Function::ceil || function == Function::round ||
                           function == Function::abs;
    if (is_broken) return false;
  }
  if (const auto* product = std::get_if<Product>(&expr.node)) {
    for (const ArithmeticOp op : product->operators) {
      if (op != ArithmeticOp::multiply && op != ArithmeticOp::divide) return false;
    }
  }
  if (std::holds_alternative<Extremum>(expr.node) && reads_data(expr)) return false;
  if (is_condition(expr)) return !reads_data(expr);
  const auto parts = children(expr);
  return std::all_of(parts.begin(), parts.end(), [&](const ExprPtr* part) { return is_smooth(**part, layout, known); });
}

bool Met::is_one_number(const Ways& ways, const Place& place, const Layout& layout) {
  if (ways.varies || !ways.constant || ways.evaluations < kFewEvaluations) return false;
  // Whole numbers that are rounded are not asked further.
  if (place.question == Question::rounding) return true;
  std::set<std::string> known;
  const auto* compare = std::get_if<Compare>(&place.expr->node);
  if (!compare) {
    if (std::holds_alternative<Extremum>(place.expr->node) && place.question == Question::way) {
      const auto& extremum = std::get<Extremum>(place.expr->node);
      return is_smooth(*extremum.left, layout, known) && is_smooth(*extremum.right, layout, known);
    }
    const auto* call = std::get_if<Call>(&place.expr->node);
    const bool is_magnitude = call && call->function == Function::abs && place.question == Question::way;
    return is_smooth(is_magnitude ? *call->argument : *place.expr, layout, known);
  }
  if (compares_the_same(place)) return true;
  return is_smooth(*compare->operands[place.part], layout, known) &&
         is_smooth(*compare->operands[place.part + 1], layout, known);
}

}  // namespace steptp::replayer
