// Each operation is done in doubles and rounded to its declared type, and a bound on the distance from the exact value
// runs beside it: the errors of the operands, times how much they show, and half a unit for the rounding. Decisions
// that lie within these errors are noted as open. docs/decisions/0035-runs-in-the-order-of-the-text.md.
#include "steptp/arithmetic/rounded_arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "steptp/arithmetic/double_functions.h"
#include "steptp/arithmetic/failure.h"

namespace steptp::certify {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The exponent of a finite number other than zero; of a subnormal one something below that of every normal one.
int exponent_of(double value) {
  constexpr int kBias = 1023;
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff) - kBias;
}

/// How far a function that never falls may be from its value where the argument is off by the error.
template <typename Monotone>
double jump_of(const Monotone& function, double value, double error) {
  const double here = function(value);
  return std::max(here - function(value - error), function(value + error) - here);
}

/// How far base**exponent may be from its value. On boxes that keep away from zero it is monotone in both, so that
/// corners say all; a whole exponent also has bases around zero.
double power_error(double base, double base_error, double exponent, double exponent_error) {
  const double here = std::pow(base, exponent);
  const double low = base - base_error;
  const double high = base + base_error;
  const bool is_whole = exponent_error == 0 && std::trunc(exponent) == exponent;
  if (base_error == 0 && exponent_error == 0) return 0;
  if (low <= 0 && high >= 0 && exponent - exponent_error < 0) return kInfinity;
  if (low < 0 && !is_whole) return kInfinity;
  double error = low <= 0 && high >= 0 ? std::fabs(here) : 0;
  for (const double x : {low, high}) {
    for (const double y : {exponent - exponent_error, exponent + exponent_error}) {
      error = std::max(error, std::fabs(std::pow(x, y) - here));
    }
  }
  return error;
}

/// By how much an error of the argument shows in the value of a function, at most.
double slope_of(Function function, double argument, double error, double value) {
  switch (function) {
    case Function::exp: return error < 1 ? value * (1 + error * 2) : kInfinity;
    case Function::log: return argument > error ? 1 / (argument - error) : kInfinity;
    case Function::sqrt: return argument > error ? 0.5 / (value * std::sqrt(1 - error / argument)) : kInfinity;
    case Function::rsqrt:
      return argument > error ? 0.5 / ((argument - error) * std::sqrt(argument - error)) : kInfinity;
    case Function::erf: return 1.1283791670955126;
    default: return 1;
  }
}

double power_of_two(int exponent) {
  constexpr int kLeastNormal = -1022;
  if (exponent < kLeastNormal) return std::ldexp(1.0, exponent);
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Ties go to even numbers, where the sum has no room for a fraction. Zeros keep the sign.
double round_to_integer(double value) {
  constexpr double kNoFraction = 0x1.8p52;
  return std::copysign(value + kNoFraction - kNoFraction, value);
}

}  // namespace

double unit_in_last_place(DType dtype, double value) {
  const DTypeInfo& type = info(dtype);
  // The least exponent of a normal number is 1 - max_exponent; below it the spacing stays.
  const int exponent =
      value == 0 || !std::isfinite(value) ? 1 - type.max_exponent : std::max(exponent_of(value), 1 - type.max_exponent);
  return power_of_two(exponent - type.precision + 1);
}

double round_to(DType dtype, double value) {
  if (dtype == DType::f64 || !std::isfinite(value) || value == 0) return value;
  // What processors convert by themselves.
  const bool is_in_range = std::fabs(value) <= static_cast<double>(std::numeric_limits<float>::max());
  if (dtype == DType::f32 && is_in_range) return static_cast<double>(static_cast<float>(value));
  const DTypeInfo& type = info(dtype);
  const int exponent = std::max(exponent_of(value), 1 - type.max_exponent) - type.precision + 1;
  // In units of the last place it has at most as many bits before the point as the type, and scaling is exact.
  const double rounded = round_to_integer(value * power_of_two(-exponent)) * power_of_two(exponent);
  const double greatest = (2.0 - power_of_two(1 - type.precision)) * power_of_two(type.max_exponent);
  return std::fabs(rounded) > greatest ? std::copysign(kInfinity, value) : rounded;
}

std::uint32_t RoundedArithmetic::add_literals(const std::vector<Decimal>& literals) {
  const auto first = static_cast<std::uint32_t>(literals_.size());
  for (const Decimal& literal : literals) literals_.push_back(literal.nearest);
  return first;
}

void RoundedArithmetic::infinity(Value& out, int sign) const { out = {sign > 0 ? kInfinity : -kInfinity, 0}; }

void RoundedArithmetic::store_input(DType dtype, Value& value) const {
  if (is_float(dtype)) value.value = round_to(dtype, value.value);
}

void RoundedArithmetic::store(DType dtype, Value& value) {
  if (!is_float(dtype)) return;
  const double rounded = round_to(dtype, value.value);
  if (rounded == value.value || std::isnan(rounded)) return;
  if (std::isinf(rounded)) {
    events_.overflow = true;
    value = {rounded, kInfinity};
    return;
  }
  value = {rounded, value.error + std::fabs(rounded - value.value)};
}

void RoundedArithmetic::finish(Value& out, double exact, double error, bool finite_operands, bool nan_operands) {
  double rounded = round_to(type_, exact);
  if (std::isnan(rounded) && !nan_operands) events_.invalid = true;
  if (std::isinf(rounded) && finite_operands) events_.overflow = true;
  if (!std::isfinite(rounded)) {
    // Infinities that were put there on purpose are exact.
    out = {rounded, finite_operands ? kInfinity : 0};
    return;
  }
  // Half a unit for the rounding, in f64 also for the operation itself.
  out = {rounded, error + unit_in_last_place(type_, rounded) / 2, ++results_};
}

void RoundedArithmetic::arithmetic(ArithmeticOp op, Value& out, const Value& left, const Value& right) {
  Value a = left;
  Value b = right;
  // Operands are converted to the type of the operation; a literal loses digits there.
  store(type_, a);
  store(type_, b);
  const bool finite = std::isfinite(a.value) && std::isfinite(b.value);
  const bool nan = std::isnan(a.value) || std::isnan(b.value);
  // Of a value that overflowed nothing is known, and so of what is made of it.
  const bool is_lost = std::isinf(a.error) || std::isinf(b.error);
  rounded(op, out, a, b, finite, nan);
  if (is_lost) out.error = kInfinity;
}

void RoundedArithmetic::add_product(Value& sum, double x, double y) {
  const double product = round_to(type_, x * y);
  const double total = round_to(type_, sum.value + product);
  if (!std::isfinite(product) || !std::isfinite(total) || !std::isfinite(sum.error)) {
    Value made;
    arithmetic(ArithmeticOp::multiply, made, {x, 0}, {y, 0});
    return arithmetic(ArithmeticOp::add, sum, sum, made);
  }
  const double error = sum.error + unit_in_last_place(type_, product) / 2;
  sum = {total, error + unit_in_last_place(type_, total) / 2, ++results_};
}

void RoundedArithmetic::rounded(ArithmeticOp op, Value& out, const Value& a, const Value& b, bool finite, bool nan) {
  switch (op) {
    case ArithmeticOp::add: return finish(out, a.value + b.value, a.error + b.error, finite, nan);
    case ArithmeticOp::subtract:
      if (finite && a.origin != 0 && a.origin == b.origin) {
        out = {0, 0};
        return;
      }
      return finish(out, a.value - b.value, a.error + b.error, finite, nan);
    case ArithmeticOp::multiply:
      return finish(out, a.value * b.value,
                    finite ? std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error : 0,
                    finite, nan);
    case ArithmeticOp::divide: {
      if (b.value == 0 && a.value != 0 && !nan) events_.zero_divisor = true;  // 0/0 is a NaN
      const double quotient = a.value / b.value;
      const double room = std::fabs(b.value) - b.error;
      if (b.value != 0 && room <= 0) events_.lost_all_digits = true;
      const double error = room > 0 ? (a.error + std::fabs(quotient) * b.error) / room : kInfinity;
      return finish(out, quotient, std::isfinite(b.value) ? error : 0, finite && b.value != 0, nan);
    }
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: return whole_quotient(op, out, a, b, finite, nan);
    case ArithmeticOp::power: {
      const double result = std::pow(a.value, b.value);
      if (a.value == 0 && b.value < 0) events_.zero_divisor = true;
      double error = 0;
      if (finite && std::isfinite(result)) {
        error = power_error(a.value, a.error, b.value, b.error) + 2 * unit_in_last_place(type_, result);
      }
      return finish(out, result, error, finite && (a.value != 0 || b.value >= 0), nan);
    }
    case ArithmeticOp::max:
    case ArithmeticOp::min: return extremum(op == ArithmeticOp::max, out, a, b);
  }
}

void RoundedArithmetic::whole_quotient(ArithmeticOp op, Value& out, const Value& a, const Value& b, bool finite,
                                       bool nan) {
  if (b.value == 0) events_.zero_divisor = true;
  const double room = std::fabs(b.value) - b.error;
  const double quotient = a.value / b.value;
  const double floor = std::floor(quotient);
  const double quotient_error = room > 0 ? (a.error + std::fabs(quotient) * b.error) / room : kInfinity;
  const double jump = finite ? jump_of([](double x) { return std::floor(x); }, quotient, quotient_error) : 0;
  if (jump > 0) decisions_.note_leap();
  if (op == ArithmeticOp::floor_divide) return finish(out, floor, jump, finite && b.value != 0, nan);
  // Remainders lie between zero and the divisor, whatever the quotient.
  double error = jump > 0 ? std::fabs(b.value) + b.error : a.error + std::fabs(floor) * b.error;
  if (std::isinf(jump)) error = kInfinity;
  finish(out, a.value - b.value * floor, finite ? error : 0, finite && b.value != 0, nan);
}

void RoundedArithmetic::extremum(bool is_max, Value& out, const Value& a, const Value& b) {
  if (std::isnan(a.value) || std::isnan(b.value)) {
    out = std::isnan(a.value) ? b : a;
    return;
  }
  const bool finite = std::isfinite(a.value) && std::isfinite(b.value);
  const bool first = is_max ? a.value >= b.value : a.value <= b.value;
  // Where the two are close, either could be the exact one.
  const bool close = finite && std::fabs(a.value - b.value) <= a.error + b.error;
  const double error = close ? std::max(a.error, b.error) : (first ? a.error : b.error);
  out = {first ? a.value : b.value, error, close ? 0 : (first ? a.origin : b.origin)};
}

void RoundedArithmetic::function(Function function, Value& out, const Value& argument) {
  Value a = argument;
  store(type_, a);
  if (std::isinf(a.error)) {
    a.error = 0;
    this->function(function, out, a);
    out.error = kInfinity;
    return;
  }
  const bool finite = std::isfinite(a.value);
  const bool nan = std::isnan(a.value);
  switch (function) {
    case Function::negate: out = {-a.value, a.error}; return;
    case Function::abs: out = {std::fabs(a.value), a.error}; return;
    case Function::floor: return whole(out, a, [](double x) { return std::floor(x); });
    case Function::ceil: return whole(out, a, [](double x) { return std::ceil(x); });
    case Function::round: return whole(out, a, [](double x) { return std::nearbyint(x); });
    case Function::exp:
    case Function::log:
    case Function::sqrt:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: break;
  }
  if ((function == Function::log || function == Function::rsqrt) && a.value == 0) {
    events_.zero_divisor = true;
    out = {function == Function::log ? -kInfinity : kInfinity, kInfinity};
    return;
  }
  if ((function == Function::log || function == Function::rsqrt || function == Function::sqrt) && a.value < 0) {
    events_.invalid = true;
    out = {std::nan(""), kInfinity};
    return;
  }
  const FunctionRange range = function_range(function, class_of(a), a.value, a.value);
  double value = (range.low + range.high) / 2;
  if (range.value_class == ValueClass::positive_infinity) value = kInfinity;
  if (range.value_class == ValueClass::negative_infinity) value = -kInfinity;
  if (range.value_class == ValueClass::nan) value = std::nan("");
  if (!finite) return finish(out, value, 0, false, nan);
  if (std::isinf(range.high) || std::isinf(range.low)) value = range.high > 0 ? kInfinity : -kInfinity;
  const double slope = slope_of(function, a.value, a.error, value);
  if (std::isinf(slope) && a.error > 0 && function != Function::exp) events_.lost_all_digits = true;
  const double error = a.error == 0 ? 0 : a.error * slope;
  finish(out, value, error + unit_in_last_place(type_, std::isfinite(value) ? value : 0), finite, nan);
}

template <typename Monotone>
void RoundedArithmetic::whole(Value& out, const Value& a, const Monotone& function) {
  const bool is_finite = std::isfinite(a.value);
  const double jump = is_finite ? jump_of(function, a.value, a.error) : 0;
  if (jump > 0) decisions_.note_leap();
  finish(out, function(a.value), jump, is_finite, std::isnan(a.value));
}

bool RoundedArithmetic::compare(CompareOp op, const Value& a, const Value& b) {
  const double errors = a.error + b.error;
  // One number is equal to itself, whatever its error.
  const bool is_same = a.origin != 0 && a.origin == b.origin && std::isfinite(errors);
  if (errors > 0 && !is_same && !(std::fabs(a.value - b.value) > errors)) decisions_.leave_open();
  switch (op) {
    case CompareOp::less: return a.value < b.value;
    case CompareOp::less_equal: return a.value <= b.value;
    case CompareOp::greater: return a.value > b.value;
    case CompareOp::greater_equal: return a.value >= b.value;
    case CompareOp::equal: return a.value == b.value;
    case CompareOp::not_equal: return a.value != b.value;
  }
  return false;
}

std::int64_t RoundedArithmetic::to_integer(const Value& a, DType dtype) {
  const bool is_whole = dtype != DType::boolean && std::trunc(a.value - a.error) == std::trunc(a.value + a.error);
  if (a.error > 0 && !is_whole && !(dtype == DType::boolean && std::fabs(a.value) > a.error)) decisions_.leave_open();
  if (std::isnan(a.value)) return 0;
  if (dtype == DType::boolean) return a.value != 0 ? 1 : 0;
  const double whole = std::trunc(a.value);
  if (whole <= static_cast<double>(info(dtype).least)) return info(dtype).least;
  if (whole >= static_cast<double>(info(dtype).greatest)) return info(dtype).greatest;
  return static_cast<std::int64_t>(whole);
}

void RoundedArithmetic::cover(Value& out, const Value& other) {
  decisions_.note_covered();
  if (out.origin != 0 && out.origin == other.origin) return;
  const bool is_same = out.value == other.value;  // infinities too
  const double distance = is_same ? 0 : std::fabs(out.value - other.value);
  double error = std::max(out.error, distance + other.error);
  if (std::isnan(error)) error = kInfinity;
  out = {out.value, error, 0};
}

void RoundedArithmetic::cover_bool(Value& out) {
  decisions_.note_covered();
  out.error = 1;
}

ValueClass RoundedArithmetic::class_of(const Value& a) {
  if (std::isnan(a.value)) return ValueClass::nan;
  if (std::isinf(a.value)) return a.value > 0 ? ValueClass::positive_infinity : ValueClass::negative_infinity;
  return ValueClass::finite;
}

std::uint64_t RoundedArithmetic::identity_of(const Value& a) { return std::bit_cast<std::uint64_t>(a.value); }

std::string RoundedArithmetic::text(const Value& a) const { return std::to_string(a.value); }

}  // namespace steptp::certify
