// A decimal is used in some type, and there it is the nearest value of that type. This file rewrites each decimal to
// that value, by the rules of docs/language.md R7, so that 0.1 and 0.10000000149011612 are the same f32.
#include "steptp/verify/literals.h"

#include <cmath>

#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/structure/types.h"

namespace steptp {

namespace {

/// The expression as an operand of an operation in `context`.
ExprPtr rounded(const ExprPtr& expr, ValueType context);

/// Operands folded from the left: the type of each operation is that of what came before with the next operand.
std::vector<ExprPtr> chain(const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) {
  std::vector<ExprPtr> out;
  auto type = type_of(*operands[0]);
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const auto next = type_of(*operands[i + 1]);
    const auto joined = type && next ? binary_type(operators[i], *type, *next) : std::nullopt;
    if (!joined) return operands;
    if (i == 0) out.push_back(rounded(operands[0], *joined));
    out.push_back(rounded(operands[i + 1], *joined));
    type = joined;
  }
  return out;
}

std::vector<ExprPtr> with_type(const std::vector<const ExprPtr*>& operands, std::optional<ValueType> type) {
  std::vector<ExprPtr> out;
  for (const ExprPtr* operand : operands) {
    const auto own = type ? type : type_of(**operand);
    out.push_back(own ? rounded(*operand, *own) : *operand);
  }
  return out;
}

ExprPtr rounded(const ExprPtr& expr, ValueType context) {
  if (const auto* literal = std::get_if<Literal>(&expr->node)) {
    if (literal->is_integer || context.weak || !is_float(context.dtype)) return expr;
    const double nearest = certify::round_to(context.dtype, literal->real);
    return nearest == literal->real || !std::isfinite(nearest) ? expr : real_literal(nearest);
  }
  const auto own = type_of(*expr);
  if (!own) return expr;
  if (const auto* call = std::get_if<Call>(&expr->node); call && call->function == Function::negate && own->weak) {
    return with_children(expr, {rounded(call->argument, context)});
  }
  if (own->weak) return expr;
  if (const auto* sum = std::get_if<Sum>(&expr->node)) return with_children(expr, chain(sum->operands, sum->operators));
  if (const auto* product = std::get_if<Product>(&expr->node)) {
    return with_children(expr, chain(product->operands, product->operators));
  }
  if (const auto* select = std::get_if<Select>(&expr->node)) {
    return with_children(expr, {rounded(select->condition, typed(DType::boolean)), rounded(select->if_true, *own),
                                rounded(select->if_false, *own)});
  }
  if (const auto* compare = std::get_if<Compare>(&expr->node)) {
    // Each operand by the first comparison that it takes part in.
    std::vector<ExprPtr> out;
    for (std::size_t i = 0; i < compare->operands.size(); ++i) {
      const std::size_t other = i == 0 ? 1 : i - 1;
      const auto left = type_of(*compare->operands[i]);
      const auto right = type_of(*compare->operands[other]);
      const auto joined = left && right ? join_type(*left, *right) : std::nullopt;
      out.push_back(joined ? rounded(compare->operands[i], *joined) : compare->operands[i]);
    }
    return with_children(expr, out);
  }
  if (std::holds_alternative<Extremum>(expr->node) || std::holds_alternative<Power>(expr->node)) {
    return with_children(expr, with_type(children(*expr), own));
  }
  return with_children(expr, with_type(children(*expr), std::nullopt));
}

NestPtr rounded(const NestPtr& nest) {
  std::vector<Item> items;
  for (const Item& item : nest->items) {
    if (const auto* inner = std::get_if<NestPtr>(&item)) {
      items.emplace_back(rounded(*inner));
      continue;
    }
    const EquationPtr& equation = std::get<EquationPtr>(item);
    // A decimal that is stored as it is takes the type of where it goes.
    items.emplace_back(make_equation(equation->left, rounded(equation->right, typed(equation->left->dtype))));
  }
  return make_nest(nest->loops, nest->guard, std::move(items));
}

}  // namespace

Program with_rounded_literals(const Program& program) {
  Program out = program;
  for (NestPtr& nest : out.nests) nest = rounded(nest);
  return out;
}

}  // namespace steptp
