#include "steptp/oracle/arithmetic.h"

#include <cfloat>
#include <cmath>
#include <limits>

#include "steptp/oracle/exact_math.h"
#include "steptp/oracle/fast_math.h"

namespace steptp {

// Why `+ - * /` and sqrt in double, rounded to a narrower type afterwards, are one rounding and not two: with 53 digits
// between, 2p+2 <= 53 for p = 24, 11, 8 suffices (Figueroa 1995). Subnormal results keep the argument: sums that
// small are exact, products of p digits always are, and a quotient that is no midpoint of a grid of at most p digits
// is at least 2^-(2p+1) of itself away from one.
static_assert(FLT_EVAL_METHOD == 0, "double arithmetic must be rounded to double");

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double floor_divide(DType dtype, double a, double b) {
  if (std::isnan(a) || std::isnan(b) || std::isinf(a)) return kNan;
  if (b == 0) return a / b;
  const double quotient = a / b;
  if (a == 0) return quotient;
  const bool negative = std::signbit(a) != std::signbit(b);
  // Also where the quotient underflows or b is infinite.
  if (quotient == 0) return negative ? -1.0 : 0.0;
  if (std::fabs(quotient) >= 0x1p53) return exact_floor_divide(dtype, a, b);
  const double floor = std::floor(quotient);
  // Rounding is monotonic and integers are representable here: a quotient that is no integer has the true one on the
  // same side of every integer. One that is an integer may have been rounded up to it.
  if (quotient != floor) return floor;
  // Exact: a multiple of the last places of a and b, and no larger than b.
  const double rest = std::fma(-quotient, b, a);
  return rest != 0 && std::signbit(rest) != std::signbit(b) ? floor - 1 : floor;
}

double modulo(double a, double b) {
  if (std::isnan(a) || std::isnan(b) || std::isinf(a) || b == 0) return kNan;
  // fmod is exact on every machine; one addition, rounded once, moves the rest to the side of the divisor.
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return std::signbit(rest) != std::signbit(b) ? rest + b : rest;
}

double maximum(double a, double b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

Scalar evaluate_real(ArithmeticOp op, DType dtype, double a, double b) {
  switch (op) {
    case ArithmeticOp::add: return Scalar::real(dtype, a + b);
    case ArithmeticOp::subtract: return Scalar::real(dtype, a - b);
    case ArithmeticOp::multiply: return Scalar::real(dtype, a * b);
    case ArithmeticOp::divide: return Scalar::real(dtype, a / b);
    case ArithmeticOp::floor_divide: return Scalar::real(dtype, floor_divide(dtype, a, b));
    case ArithmeticOp::modulo: return Scalar::real(dtype, modulo(a, b));
    case ArithmeticOp::power: return Scalar::real(dtype, rounded_power(dtype, a, b));
    case ArithmeticOp::max: return Scalar::real(dtype, maximum(a, b));
    case ArithmeticOp::min: return Scalar::real(dtype, -maximum(-a, -b));
  }
  return {};
}

std::int64_t as_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }
std::uint64_t as_unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == -1) return as_signed(0 - as_unsigned(a));  // the one quotient that overflows
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t modulo(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::optional<Scalar> evaluate_integer(ArithmeticOp op, Scalar left, Scalar right) {
  const DType dtype = left.dtype();
  const std::int64_t a = left.as_integer();
  const std::int64_t b = right.as_integer();
  // Arithmetic modulo 2^64 wraps to any narrower type in the end.
  switch (op) {
    case ArithmeticOp::add: return Scalar::integer(dtype, as_signed(as_unsigned(a) + as_unsigned(b)));
    case ArithmeticOp::subtract: return Scalar::integer(dtype, as_signed(as_unsigned(a) - as_unsigned(b)));
    case ArithmeticOp::multiply: return Scalar::integer(dtype, as_signed(as_unsigned(a) * as_unsigned(b)));
    case ArithmeticOp::divide: return std::nullopt;
    case ArithmeticOp::floor_divide:
      if (b == 0) return std::nullopt;
      return Scalar::integer(dtype, floor_divide(a, b));
    case ArithmeticOp::modulo:
      if (b == 0) return std::nullopt;
      return Scalar::integer(dtype, modulo(a, b));
    case ArithmeticOp::power:
      if (b < 0) return std::nullopt;
      return integer_power(left, as_unsigned(b));
    case ArithmeticOp::max: return a > b ? left : right;
    case ArithmeticOp::min: return a < b ? left : right;
  }
  return std::nullopt;
}

template <typename T>
bool compare_values(CompareOp op, T a, T b) {
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

/// Half to even, whatever the rounding mode of the thread says.
double round_half_even(double x) {
  const double below = std::floor(x);
  const double part = x - below;  // exact wherever it is near 0.5
  double rounded = below;
  if (part > 0.5 || (part == 0.5 && std::fmod(below, 2.0) != 0)) rounded = below + 1;
  return std::copysign(rounded, x);
}

double evaluate_real(Function function, DType dtype, double x) {
  switch (function) {
    case Function::negate: return -x;
    case Function::abs: return std::fabs(x);
    case Function::floor: return std::floor(x);
    case Function::ceil: return std::ceil(x);
    case Function::round: return std::isfinite(x) ? round_half_even(x) : x;
    case Function::sqrt: return std::sqrt(x);
    case Function::exp:
    case Function::log:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: return rounded_function(dtype, function, x);
  }
  return kNan;
}

}  // namespace

std::optional<Scalar> evaluate(ArithmeticOp op, Scalar left, Scalar right) {
  if (is_float(left.dtype())) return evaluate_real(op, left.dtype(), left.as_real(), right.as_real());
  return evaluate_integer(op, left, right);
}

Scalar integer_power(Scalar base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  std::uint64_t factor = as_unsigned(base.as_integer());
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= factor;
    factor *= factor;
  }
  return Scalar::integer(base.dtype(), as_signed(result));
}

bool compare(CompareOp op, Scalar left, Scalar right) {
  if (is_float(left.dtype())) return compare_values(op, left.as_real(), right.as_real());
  return compare_values(op, left.as_integer(), right.as_integer());
}

Scalar evaluate(Function function, Scalar argument) {
  if (is_float(argument.dtype())) {
    return Scalar::real(argument.dtype(), evaluate_real(function, argument.dtype(), argument.as_real()));
  }
  const DType dtype = argument.dtype();
  const std::int64_t value = argument.as_integer();
  switch (function) {
    case Function::negate: return Scalar::integer(dtype, as_signed(0 - as_unsigned(value)));
    case Function::abs: return value < 0 ? Scalar::integer(dtype, as_signed(0 - as_unsigned(value))) : argument;
    case Function::floor:
    case Function::ceil:
    case Function::round: return argument;
    case Function::sqrt:
    case Function::exp:
    case Function::log:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: return evaluate(function, convert(argument, DType::f64));
  }
  return argument;
}

}  // namespace steptp
