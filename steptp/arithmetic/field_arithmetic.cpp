// A value is a residue modulo a prime of 61 bits next to an interval of doubles that surely holds it. Residues say
// whether two values are equal, with a chance of error that follows from their degrees; intervals decide comparisons. A
// function such as exp is an unknown of its argument's residue: equal residues are then still equal values, and
// different ones mean nothing. docs/decisions/0010-certified-evaluation.md.
#include "steptp/arithmetic/field_arithmetic.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "steptp/arithmetic/double_functions.h"
#include "steptp/arithmetic/double_interval.h"
#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/real_rules.h"
#include "steptp/base/text.h"
#include "steptp/ir/dtype.h"

namespace steptp::certify {

namespace {

using Value = FieldArithmetic::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void set_class(Value& out, ValueClass value) {
  out = {};
  switch (value) {
    case ValueClass::finite: break;
    case ValueClass::positive_infinity: out.low = out.high = kInfinity; break;
    case ValueClass::negative_infinity: out.low = out.high = -kInfinity; break;
    case ValueClass::nan: out.low = out.high = kNan; break;
  }
}

void set_special(Value& out, const Special& special) {
  set_class(out, special.is_zero ? ValueClass::finite : special.result);
}

[[noreturn]] void undecided() { fail(FailureKind::needs_balls, "a comparison that double intervals do not decide"); }

}  // namespace

ValueClass FieldArithmetic::class_of(const Value& a) {
  if (std::isnan(a.low)) return ValueClass::nan;
  if (is_finite(a)) return ValueClass::finite;
  return a.low > 0 ? ValueClass::positive_infinity : ValueClass::negative_infinity;
}

std::uint32_t FieldArithmetic::add_literals(const std::vector<Decimal>& literals) {
  const auto first = static_cast<std::uint32_t>(literals_.size());
  for (const Decimal& decimal : literals) {
    Value& value = literals_.emplace_back();
    value.residue = field_.of_decimal(decimal);
    value.low = below(decimal.nearest);
    value.high = above(decimal.nearest);
    // Integers and short binary fractions are what they look like: digits / 10^places is exact where 5^places divides.
    std::int64_t digits = decimal.digits;
    int places = -decimal.exponent;
    for (; places > 0 && digits % 5 == 0; --places) digits /= 5;
    if (places <= 0 && std::fabs(decimal.nearest) <= 0x1p53) value.low = value.high = decimal.nearest;
  }
  return first;
}

void FieldArithmetic::integer(Value& out, std::int64_t value) const {
  out = {};
  out.residue = field_.of_integer(value);
  const auto number = static_cast<double>(value);
  const bool exact = value >= -(std::int64_t{1} << 53) && value <= (std::int64_t{1} << 53);
  out.low = exact ? number : below(number);
  out.high = exact ? number : above(number);
}

void FieldArithmetic::infinity(Value& out, int sign) const { set_class(out, certify::infinity(sign)); }

int FieldArithmetic::sign(const Value& a) {
  if (a.low > 0) return 1;
  if (a.high < 0) return -1;
  if (is_point(a)) return 0;
  if (a.residue == 0 && is_finite(a)) return 0;
  undecided();
}

Order FieldArithmetic::order(const Value& a, const Value& b) {
  if (!is_finite(a) || !is_finite(b)) return order_of_classes(class_of(a), class_of(b));
  if (a.high < b.low) return Order::less;
  if (a.low > b.high) return Order::greater;
  // Exact doubles, or the same expression of the same operands.
  if ((is_point(a) && is_point(b)) || a.residue == b.residue) return Order::equal;
  return Order::unknown;
}

bool FieldArithmetic::compare(CompareOp op, const Value& a, const Value& b) {
  if (std::isnan(a.low) || std::isnan(b.low)) return op == CompareOp::not_equal;
  const Order found = order(a, b);
  if (found != Order::unknown) return holds(op, found);
  // They overlap but are not equal.
  const bool surely_different = functions_ == 0;
  if (surely_different && op == CompareOp::equal) return false;
  if (surely_different && op == CompareOp::not_equal) return true;
  if (a.high <= b.low && (op == CompareOp::less_equal || op == CompareOp::greater)) return op == CompareOp::less_equal;
  if (a.low >= b.high && (op == CompareOp::greater_equal || op == CompareOp::less)) {
    return op == CompareOp::greater_equal;
  }
  undecided();
}

void FieldArithmetic::add_special(Value& out, const Value& a, const Value& b) const {
  set_special(out, special_add(class_of(a), class_of(b)));
}

void FieldArithmetic::multiply_special(Value& out, const Value& a, const Value& b) {
  // Signs are only wanted here; an unknown sign is an undecided comparison.
  const bool nan = std::isnan(a.low) || std::isnan(b.low);
  set_special(out, special_multiply(class_of(a), nan ? 1 : sign(a), class_of(b), nan ? 1 : sign(b)));
}

void FieldArithmetic::divide(Value& out, const Value& a, const Value& b) {
  const int divisor_sign = std::isnan(b.low) ? 1 : sign(b);
  if (!is_finite(a) || !is_finite(b) || divisor_sign == 0) {
    const int dividend_sign = std::isnan(a.low) ? 1 : sign(a);
    return set_special(out, special_divide(class_of(a), dividend_sign, class_of(b), divisor_sign));
  }
  if (b.residue == 0) fail(FailureKind::unlucky_prime, "a divisor that is not zero has residue zero");
  const double q0 = a.low / b.low;
  const double q1 = a.low / b.high;
  const double q2 = a.high / b.low;
  const double q3 = a.high / b.high;
  const double low = std::min(std::min(q0, q1), std::min(q2, q3));
  const double high = std::max(std::max(q0, q1), std::max(q2, q3));
  const bool exact = is_point(a) && is_point(b) && std::fma(q0, b.low, -a.low) == 0 && std::fabs(q0) > 0x1p-900 &&
                     std::fabs(a.low) > 0x1p-900;
  const bool known = !std::isnan(q0 + q1 + q2 + q3);
  const float numerator = a.numerator + b.denominator;
  const float denominator = a.denominator + b.numerator;
  const bool zero = is_point(a) && a.low == 0;
  out.residue = field_.multiply(a.residue, inverse(b.residue));
  out.low = zero ? 0 : exact ? low : known ? below(finite_low(low)) : -kInfinity;
  out.high = zero ? 0 : exact ? high : known ? above(finite_high(high)) : kInfinity;
  out.numerator = numerator;
  out.denominator = denominator;
}

void FieldArithmetic::extremum(bool is_max, Value& out, const Value& a, const Value& b) {
  if (std::isnan(a.low)) return void(out = b);
  if (std::isnan(b.low)) return void(out = a);
  const Order found = order(a, b);
  bool first = is_max ? found == Order::greater : found == Order::less;
  if (found == Order::unknown) {
    if (a.high > b.low && a.low < b.high) undecided();
    first = is_max ? a.low >= b.high : a.high <= b.low;
  }
  if (found == Order::equal) first = true;
  out = first ? a : b;
}

void FieldArithmetic::floor_divide(Value& out, const Value& a, const Value& b) {
  const bool finite = is_finite(a) && is_finite(b);
  if (finite && sign(b) != 0) {
    Value quotient;
    divide(quotient, a, b);
    return round(Function::floor, out, quotient);
  }
  if (is_finite(a) && !std::isnan(b.low) && !is_finite(b)) {
    const int product = sign(a) * sign(b);
    return integer(out, product < 0 ? -1 : 0);
  }
  if (is_finite(b) && sign(b) == 0) fail(FailureKind::undefined_value, "a floor division by zero");
  set_class(out, ValueClass::nan);
}

void FieldArithmetic::power(Value& out, const Value& a, const Value& b) {
  const bool natural = is_point(b) && b.low == std::floor(b.low) && std::fabs(b.low) <= 1024 && is_finite(b);
  if (natural && is_finite(a)) {
    auto exponent = static_cast<std::uint64_t>(std::fabs(b.low));
    const bool inverted = b.low < 0;
    Value base = a;
    Value result;
    integer(result, 1);
    for (; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) multiply(result, result, base);
      if (exponent > 1) multiply(base, base, base);
    }
    // Even powers are not negative, which a product of intervals cannot know.
    if (std::fmod(b.low, 2.0) == 0) result.low = std::max(result.low, 0.0);
    if (inverted) {
      Value one;
      integer(one, 1);
      divide(result, one, result);
    }
    out = result;
    return;
  }
  if (is_point(b) && std::fabs(b.low) == 0.5 && is_finite(a)) {
    return transcendental(b.low > 0 ? Function::sqrt : Function::rsqrt, out, a);
  }
  fail(FailureKind::needs_balls, "a real power");
}

void FieldArithmetic::round(Function function, Value& out, const Value& a) {
  if (!is_finite(a)) return void(out = a);
  const auto rounded = [function](double x) {
    if (function == Function::floor) return std::floor(x);
    if (function == Function::ceil) return std::ceil(x);
    return std::nearbyint(x);
  };
  const double low = rounded(a.low);
  if (low != rounded(a.high) || std::fabs(low) > 0x1p62) undecided();
  integer(out, static_cast<std::int64_t>(low));
}

void FieldArithmetic::transcendental(Function function, Value& out, const Value& a) {
  const FunctionRange range = function_range(function, class_of(a), a.low, a.high);
  if (range.is_undecided) undecided();
  if (range.value_class != ValueClass::finite) return set_class(out, range.value_class);
  if (range.low == range.high && range.low == std::floor(range.low) && std::fabs(range.low) < 0x1p53) {
    return integer(out, static_cast<std::int64_t>(range.low));
  }
  ++functions_;
  const PrimeField::Residue argument = a.residue;
  argument_degree_ = std::max(argument_degree_, static_cast<double>(a.numerator) + static_cast<double>(a.denominator));
  if (function == Function::rsqrt) {
    const PrimeField::Residue root = field_.of_function(static_cast<std::uint64_t>(Function::sqrt), argument);
    out.residue = field_.inverse(root == 0 ? field_.one() : root);
  } else {
    out.residue = field_.of_function(static_cast<std::uint64_t>(function), argument);
  }
  // exp(1e15) is finite, though no double is that large.
  out.low = finite_low(range.low);
  out.high = finite_high(range.high);
  // An unknown of its own, or its inverse.
  out.numerator = function == Function::rsqrt ? 0 : 1;
  out.denominator = function == Function::rsqrt ? 1 : 0;
}

void FieldArithmetic::other_arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b) {
  switch (op) {
    case ArithmeticOp::add: return add(out, a, b);
    case ArithmeticOp::subtract: {
      Value negative;
      function(Function::negate, negative, b);
      return add(out, a, negative);
    }
    case ArithmeticOp::multiply: return multiply(out, a, b);
    case ArithmeticOp::divide: return divide(out, a, b);
    case ArithmeticOp::floor_divide: return floor_divide(out, a, b);
    case ArithmeticOp::modulo: {
      if (is_finite(b) && sign(b) == 0) fail(FailureKind::undefined_value, "a remainder by zero");
      if (!is_finite(a) || std::isnan(b.low)) return set_class(out, ValueClass::nan);
      if (!is_finite(b)) return void(out = sign(a) * sign(b) < 0 ? b : a);
      const Value dividend = a;
      const Value divisor = b;
      Value multiple;
      floor_divide(multiple, a, b);
      multiply(multiple, multiple, divisor);
      return arithmetic(ArithmeticOp::subtract, out, dividend, multiple);
    }
    case ArithmeticOp::power: return power(out, a, b);
    case ArithmeticOp::max: return extremum(true, out, a, b);
    case ArithmeticOp::min: return extremum(false, out, a, b);
  }
}

void FieldArithmetic::function(Function function, Value& out, const Value& a) {
  switch (function) {
    case Function::negate: {
      const double low = a.low;
      out.residue = field_.negate(a.residue);
      out.low = -a.high;
      out.high = -low;
      out.numerator = a.numerator;
      out.denominator = a.denominator;
      return;
    }
    case Function::abs:
      if (std::isnan(a.low)) return void(out = a);
      if (a.low < 0 && a.high <= 0) return this->function(Function::negate, out, a);
      if (a.low < 0 && sign(a) < 0) return this->function(Function::negate, out, a);
      out = a;
      return;
    case Function::floor:
    case Function::ceil:
    case Function::round: return round(function, out, a);
    case Function::exp:
    case Function::log:
    case Function::sqrt:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: return transcendental(function, out, a);
  }
}

std::int64_t FieldArithmetic::to_integer(const Value& a, DType dtype) {
  if (dtype == DType::boolean) {
    if (std::isnan(a.low)) return 1;
    return sign(a) != 0 ? 1 : 0;
  }
  if (std::isnan(a.low)) return 0;
  const DTypeInfo& type = info(dtype);
  const double low = std::trunc(a.low);
  const double high = std::trunc(a.high);
  if (low >= static_cast<double>(type.greatest)) return type.greatest;
  if (high <= static_cast<double>(type.least)) return type.least;
  if (low != high) undecided();
  return static_cast<std::int64_t>(low);
}

std::string FieldArithmetic::text(const Value& a) const {
  std::array<char, 64> buffer{};
  const double middle = is_finite(a) ? a.low / 2 + a.high / 2 : a.low;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), middle);
  return {buffer.data(), end.ptr};
}

}  // namespace steptp::certify
