#include "replay/types.h"

#include <vector>

namespace steptp::replayer {

std::optional<ValueType> type_of(const Expr& expr) {
  const auto folded = [](const std::vector<ExprPtr>& operands, const std::vector<ArithmeticOp>& operators) {
    auto type = type_of(*operands[0]);
    for (std::size_t i = 0; type && i < operators.size(); ++i) {
      const auto next = type_of(*operands[i + 1]);
      type = next ? binary_type(operators[i], *type, *next) : std::nullopt;
    }
    return type;
  };
  if (const auto* literal = std::get_if<Literal>(&expr.node)) return literal->is_integer ? kWeakInteger : kWeakDecimal;
  if (std::holds_alternative<Infinity>(expr.node)) return kWeakInf;
  if (std::holds_alternative<IndexValue>(expr.node)) return kWeakInteger;
  if (const auto* read = std::get_if<Read>(&expr.node)) return typed(read->ref->dtype);
  if (const auto* sum = std::get_if<Sum>(&expr.node)) return folded(sum->operands, sum->operators);
  if (const auto* product = std::get_if<Product>(&expr.node)) return folded(product->operands, product->operators);
  if (const auto* power = std::get_if<Power>(&expr.node)) {
    const auto* literal = std::get_if<Literal>(&power->exponent->node);
    const auto base = type_of(*power->base);
    const auto exponent = type_of(*power->exponent);
    if (!base || !exponent) return std::nullopt;
    return binary_type(ArithmeticOp::power, *base, *exponent, literal && literal->is_integer && literal->integer >= 0);
  }
  if (const auto* extremum = std::get_if<Extremum>(&expr.node)) {
    const auto left = type_of(*extremum->left);
    const auto right = type_of(*extremum->right);
    return left && right ? join_type(*left, *right) : std::nullopt;
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    const auto argument = type_of(*call->argument);
    return argument ? std::optional(unary_type(call->function, *argument)) : std::nullopt;
  }
  if (const auto* select = std::get_if<Select>(&expr.node)) {
    const auto left = type_of(*select->if_true);
    const auto right = type_of(*select->if_false);
    return left && right ? join_type(*left, *right) : std::nullopt;
  }
  return typed(DType::boolean);
}

}  // namespace steptp::replayer
