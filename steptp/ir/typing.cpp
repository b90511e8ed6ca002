#include "steptp/ir/typing.h"

namespace steptp {

namespace {

/// The operand as a real number: floats stay, a typed integer or bool becomes f32, a weak integer a weak f64.
ValueType as_real(ValueType operand) {
  if (is_float(operand.dtype)) return operand;
  return operand.weak ? kWeakDecimal : typed(DType::f32);
}

std::optional<ValueType> join_with_weak(ValueType strong, ValueType weak) {
  if (is_float(strong.dtype)) return strong;
  if (weak.has_inf) return std::nullopt;
  if (is_float(weak.dtype)) return typed(DType::f32);
  return typed(strong.dtype == DType::boolean ? DType::i64 : strong.dtype);
}

/// Cannot fail: operands that became real are floats, and `inf` only refuses integers.
std::optional<ValueType> join_real(ValueType left, ValueType right) {
  // An integer operand does not widen a float: f16 with i64 is f16, not f32.
  if (!left.weak && !right.weak) {
    const DType common = promote(left.dtype, right.dtype);
    return typed(is_float(common) ? common : DType::f32);
  }
  return join_type(as_real(left), as_real(right));
}

}  // namespace

std::optional<ValueType> join_type(ValueType left, ValueType right) {
  if (left.weak && right.weak) {
    const bool real = is_float(left.dtype) || is_float(right.dtype);
    return ValueType{real ? DType::f64 : DType::i64, true, left.has_inf || right.has_inf};
  }
  if (left.weak) return join_with_weak(right, left);
  if (right.weak) return join_with_weak(left, right);
  return typed(promote(left.dtype, right.dtype));
}

bool is_integer_power(ValueType left, bool natural_exponent) { return natural_exponent && !is_float(left.dtype); }

std::optional<ValueType> binary_type(ArithmeticOp op, ValueType left, ValueType right, bool natural_exponent) {
  switch (op) {
    case ArithmeticOp::add:
    case ArithmeticOp::subtract:
    case ArithmeticOp::multiply:
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
    case ArithmeticOp::max:
    case ArithmeticOp::min: return join_type(left, right);
    case ArithmeticOp::divide: return join_real(left, right);
    case ArithmeticOp::power:
      return is_integer_power(left, natural_exponent) ? join_type(left, right) : join_real(left, right);
  }
  return std::nullopt;
}

ValueType unary_type(Function function, ValueType operand) {
  switch (function) {
    case Function::negate:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: return operand;
    case Function::exp:
    case Function::log:
    case Function::sqrt:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: {
      // What a function returns is an ordinary real number, whatever went in: exp(-inf) may meet an integer tensor.
      ValueType type = as_real(operand);
      type.has_inf = false;
      return type;
    }
  }
  return operand;
}

std::optional<DType> comparison_dtype(ValueType left, ValueType right) {
  const std::optional<ValueType> common = join_type(left, right);
  if (!common) return std::nullopt;
  return common->dtype;
}

}  // namespace steptp
