// Which comparisons have one answer because what is compared is one number.
#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "replay/met.h"

namespace steptp::replayer {

namespace {

constexpr std::uint64_t kFewEvaluations = 6;

bool reads_data(const Expr& expr) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr&) { found = true; });
  return found;
}

/// Other than in the conditions of choices.
bool reads_values(const Expr& expr) {
  if (std::holds_alternative<Read>(expr.node)) return true;
  if (const auto* select = std::get_if<Select>(&expr.node)) {
    return reads_values(*select->if_true) || reads_values(*select->if_false);
  }
  const auto parts = children(expr);
  return std::any_of(parts.begin(), parts.end(), [](const ExprPtr* part) { return reads_values(**part); });
}

}  // namespace

/// Only NaN and infinities tell the two sides apart, and what makes them is asked by itself.
bool Met::compares_the_same(const Place& place) {
  const auto* compare = std::get_if<Compare>(&place.expr->node);
  return compare && equal(*compare->operands[place.part], *compare->operands[place.part + 1]);
}

/// Numbers that are made by analytic operations and choices alone, through all tensors. Both sides of choices are asked
/// by themselves; whole numbers that roundings make may be the same wherever it is looked.
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
  if (!reads_values(expr)) return true;
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const Function function = call->function;
    const bool is_broken = function == Function::floor || function == Function::ceil || function == Function::round;
    if (is_broken) return false;
  }
  if (const auto* product = std::get_if<Product>(&expr.node)) {
    for (const ArithmeticOp op : product->operators) {
      if (op != ArithmeticOp::multiply && op != ArithmeticOp::divide) return false;
    }
  }
  if (is_condition(expr)) return !reads_data(expr);
  if (const auto* select = std::get_if<Select>(&expr.node)) {
    return is_smooth(*select->if_true, layout, known) && is_smooth(*select->if_false, layout, known);
  }
  const auto parts = children(expr);
  return std::all_of(parts.begin(), parts.end(), [&](const ExprPtr* part) { return is_smooth(**part, layout, known); });
}

/// The top-level nest that an expression stands in; the last one where it stands nowhere.
static std::uint32_t nest_of(const Expr& expr, const Layout& layout) {
  const std::function<bool(const Expr&)> has = [&](const Expr& whole) {
    if (&whole == &expr) return true;
    const auto parts = children(whole);
    return std::any_of(parts.begin(), parts.end(), [&](const ExprPtr* part) { return has(**part); });
  };
  for (const Statement& statement : layout.statements()) {
    const auto has_it = [&](const ExprPtr& whole) { return has(*whole); };
    if (has(*statement.equation->right)) return statement.address[0];
    if (std::any_of(statement.guards.begin(), statement.guards.end(), has_it)) return statement.address[0];
  }
  return std::numeric_limits<std::uint32_t>::max();
}

/// Not of a table that is made of indices alone. A read sees what its own nest and those before it have written;
/// `known` has the tensors that were followed, each with the last nest that counts.
static bool reads_input(const Expr& expr, const Layout& layout, std::uint32_t nest,
                        std::set<std::pair<std::string, std::uint32_t>>& known) {
  bool found = false;
  for_each_ref(expr, [&](const RefPtr& ref) {
    const Tensor& tensor = layout.tensor(ref->tensor);
    found = found || (tensor.known && tensor.known->role != Role::output);
    if (found || !known.insert({ref->tensor, nest}).second) return;
    for (const std::size_t writer : tensor.writers) {
      const Statement& statement = layout.statements()[writer];
      if (statement.address[0] > nest) continue;
      const bool is_placed_by_data = std::any_of(statement.left.begin(), statement.left.end(),
                                                 [](const Subscript& subscript) { return subscript.reads_data; });
      found = found || !statement.limits_are_all || is_placed_by_data ||
              reads_input(*statement.equation->right, layout, statement.address[0], known);
    }
  });
  return found;
}

bool Met::depends_on_inputs(const Place& place, const Layout& layout) {
  std::set<std::pair<std::string, std::uint32_t>> known;
  return reads_input(*place.expr, layout, nest_of(*place.expr, layout), known);
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
