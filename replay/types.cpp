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

namespace {

bool is_signed_number(const Expr& expr) {
  const auto* call = std::get_if<Call>(&expr.node);
  if (call && call->function == Function::negate) return is_signed_number(*call->argument);
  return std::holds_alternative<Literal>(expr.node) || std::holds_alternative<Infinity>(expr.node);
}

/// References, and choices of references and numbers.
bool is_made_of_reads(const Expr& expr) {
  if (const auto* select = std::get_if<Select>(&expr.node)) {
    const bool yes = is_made_of_reads(*select->if_true);
    const bool no = is_made_of_reads(*select->if_false);
    return (yes && no) || (yes && is_signed_number(*select->if_false)) || (no && is_signed_number(*select->if_true));
  }
  return std::holds_alternative<Read>(expr.node);
}

/// The types of all references that a factor chooses from are this one.
bool reads_only(const Expr& expr, DType dtype) {
  if (const auto* read = std::get_if<Read>(&expr.node)) return read->ref->dtype == dtype;
  const auto* select = std::get_if<Select>(&expr.node);
  return !select || (reads_only(*select->if_true, dtype) && reads_only(*select->if_false, dtype));
}

}  // namespace

const Product* widened_product(const Equation& equation) {
  const Ref& left = *equation.left;
  const auto* sum = std::get_if<Sum>(&equation.right->node);
  if (!sum || sum->operands.size() != 2 || sum->operators[0] != ArithmeticOp::add) return nullptr;
  if (!accumulation_operator(left, equation.right) || (left.dtype != DType::f32 && left.dtype != DType::f64)) {
    return nullptr;
  }
  for (const ExprPtr& term : sum->operands) {
    const auto* product = std::get_if<Product>(&term->node);
    if (!product || product->operands.size() != 2 || product->operators[0] != ArithmeticOp::multiply) continue;
    const Expr& first = *product->operands[0];
    const Expr& second = *product->operands[1];
    if (!is_made_of_reads(first) || !is_made_of_reads(second)) continue;
    for (const DType narrow : {DType::f16, DType::bf16}) {
      if (reads_only(first, narrow) && reads_only(second, narrow)) return product;
    }
  }
  return nullptr;
}

}  // namespace steptp::replayer
