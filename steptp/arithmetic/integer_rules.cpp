#include "steptp/arithmetic/integer_rules.h"

#include <algorithm>

#include "steptp/arithmetic/failure.h"
#include "steptp/ir/index.h"

namespace steptp::certify {

std::int64_t wrapped_power(std::int64_t base, std::uint64_t exponent) {
  std::int64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = wrapped_multiply(result, base);
    base = wrapped_multiply(base, base);
  }
  return result;
}

std::int64_t wrapped(DType dtype, std::int64_t value) {
  switch (dtype) {
    case DType::i32: return static_cast<std::int32_t>(value);
    case DType::i16: return static_cast<std::int16_t>(value);
    case DType::i8: return static_cast<std::int8_t>(value);
    case DType::u8: return static_cast<std::uint8_t>(value);
    case DType::boolean: return value != 0 ? 1 : 0;
    case DType::i64:
    case DType::f64:
    case DType::f32:
    case DType::f16:
    case DType::bf16: break;
  }
  return value;
}

std::int64_t safe_quotient(std::int64_t dividend, std::int64_t divisor) {
  return divisor == -1 ? wrapped_multiply(dividend, -1) : floor_quotient(dividend, divisor);
}

std::int64_t safe_remainder(std::int64_t dividend, std::int64_t divisor) {
  return divisor == -1 ? 0 : floor_remainder(dividend, divisor);
}

std::int64_t integer_operation(ArithmeticOp op, DType dtype, std::int64_t a, std::int64_t b) {
  switch (op) {
    case ArithmeticOp::add: return wrapped(dtype, wrapped_add(a, b));
    case ArithmeticOp::subtract: return wrapped(dtype, wrapped_add(a, wrapped_multiply(b, -1)));
    case ArithmeticOp::multiply: return wrapped(dtype, wrapped_multiply(a, b));
    case ArithmeticOp::floor_divide: return wrapped(dtype, safe_quotient(a, b));
    case ArithmeticOp::modulo: return wrapped(dtype, safe_remainder(a, b));
    case ArithmeticOp::max: return std::max(a, b);
    case ArithmeticOp::min: return std::min(a, b);
    case ArithmeticOp::divide:
    case ArithmeticOp::power: break;
  }
  fail(FailureKind::unsupported, "a real operation on integers");
}

std::int64_t integer_function(Function function, DType dtype, std::int64_t a) {
  switch (function) {
    case Function::negate: return wrapped(dtype, wrapped_multiply(a, -1));
    case Function::abs: return a < 0 ? wrapped(dtype, wrapped_multiply(a, -1)) : a;
    case Function::floor:
    case Function::ceil:
    case Function::round: return a;
    case Function::exp:
    case Function::log:
    case Function::sqrt:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: break;
  }
  fail(FailureKind::unsupported, "a real function of an integer");
}

bool compare_integers(CompareOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case CompareOp::less: return a < b;
    case CompareOp::less_equal: return a <= b;
    case CompareOp::greater: return a > b;
    case CompareOp::greater_equal: return a >= b;
    case CompareOp::equal: return a == b;
    case CompareOp::not_equal: return a != b;
  }
  return false;
}

}  // namespace steptp::certify
