#include "steptp/oracle/arithmetic.h"
#include "steptp/oracle/executor.h"

namespace steptp::oracle {

Scalar Executor::evaluate_at(const ExprCode& expr) {
  switch (expr.kind) {
    case ExprCode::Kind::constant: return expr.value;
    case ExprCode::Kind::index: return Scalar::integer(DType::i64, slots_[expr.slot]);
    case ExprCode::Kind::read: return read(*expr.read);
    case ExprCode::Kind::chain: return evaluate_chain(expr);
    case ExprCode::Kind::integer_power:
      return integer_power(convert(evaluate_at(expr.operands[0]), expr.type.dtype), expr.exponent);
    case ExprCode::Kind::function:
      return evaluate(expr.function, convert(evaluate_at(expr.operands[0]), expr.type.dtype));
    case ExprCode::Kind::select:
      // Lazy: the other branch is not looked at.
      return convert(evaluate_at(expr.operands[evaluate_at(expr.operands[0]).is_true() ? 1 : 2]), expr.type.dtype);
    case ExprCode::Kind::compare: return evaluate_compare(expr);
    case ExprCode::Kind::logic: return evaluate_logic(expr);
  }
  return {};
}

Scalar Executor::evaluate_chain(const ExprCode& expr) {
  Scalar value = evaluate_at(expr.operands[0]);
  for (std::size_t i = 0; i < expr.operators.size(); ++i) {
    const Scalar right = evaluate_at(expr.operands[i + 1]);
    const auto result = evaluate(expr.operators[i], convert(value, expr.dtypes[i]), convert(right, expr.dtypes[i]));
    if (!result) stop(TrapKind::integer_division_by_zero, expr.site, "an integer is divided by zero");
    value = *result;
  }
  return value;
}

/// A chain is a conjunction; all its operands are evaluated, whatever the first comparisons say.
Scalar Executor::evaluate_compare(const ExprCode& expr) {
  bool all = true;
  Scalar left = evaluate_at(expr.operands[0]);
  for (std::size_t i = 0; i < expr.comparisons.size(); ++i) {
    const Scalar right = evaluate_at(expr.operands[i + 1]);
    all &= compare(expr.comparisons[i], convert(left, expr.dtypes[i]), convert(right, expr.dtypes[i]));
    left = right;
  }
  return Scalar::boolean(all);
}

Scalar Executor::evaluate_logic(const ExprCode& expr) {
  bool all = true;
  bool any = false;
  for (const ExprCode& operand : expr.operands) {
    const bool one = evaluate_at(operand).is_true();
    all &= one;
    any |= one;
  }
  return Scalar::boolean(expr.logic == LogicOp::conjunction ? all : any);
}

}  // namespace steptp::oracle
