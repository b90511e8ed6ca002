#include "steptp/ir/accumulation.h"

namespace steptp {

namespace {

bool is_number(const Expr& expr) {
  if (std::holds_alternative<Literal>(expr.node) || std::holds_alternative<Infinity>(expr.node)) return true;
  const auto* call = std::get_if<Call>(&expr.node);
  return call && call->function == Function::negate && is_number(*call->argument);
}

/// The type of a factor; nothing where it is made in another way than the rule says.
std::optional<DType> factor_type(const Expr& expr) {
  if (const auto* read = std::get_if<Read>(&expr.node)) return read->ref->dtype;
  const auto* select = std::get_if<Select>(&expr.node);
  if (!select) return std::nullopt;
  if (is_number(*select->if_true)) return factor_type(*select->if_false);
  const auto type = factor_type(*select->if_true);
  return is_number(*select->if_false) || factor_type(*select->if_false) == type ? type : std::nullopt;
}

}  // namespace

std::optional<WideProduct> wide_product(const Ref& left, const ExprPtr& right) {
  if (left.dtype != DType::f32 && left.dtype != DType::f64) return std::nullopt;
  const auto* sum = std::get_if<Sum>(&right->node);
  if (!sum || sum->operands.size() != 2 || sum->operators[0] != ArithmeticOp::add) return std::nullopt;
  for (const ExprPtr& term : sum->operands) {
    const auto* product = std::get_if<Product>(&term->node);
    if (!product || product->operands.size() != 2 || product->operators[0] != ArithmeticOp::multiply) continue;
    const auto type = factor_type(*product->operands[0]);
    if (!type || (*type != DType::f16 && *type != DType::bf16)) continue;
    if (factor_type(*product->operands[1]) != type || !accumulation_operator(left, right)) continue;
    return WideProduct{product, left.dtype};
  }
  return std::nullopt;
}

}  // namespace steptp
