// Sums, products and quotients as numbers modulo two primes, next to what is known of the value at every input: the
// range that it lies in, whether it can be zero, where it may have no value, and its degree as a quotient of
// polynomials, from which the chance of an accident is computed. docs/decisions/0012-every-way-at-once.md.
#include "steptp/arithmetic/opaque_reals.h"

#include <algorithm>
#include <cmath>

#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/real_rules.h"
#include "steptp/base/hash.h"

namespace steptp::certify {

namespace {

using Value = OpaqueValue;

[[noreturn]] void unknown_sign() { fail(FailureKind::unsupported, "an infinity meets a number of unknown sign"); }

}  // namespace

std::int64_t OpaqueReals::to_integer(const Value& a, DType dtype) const {
  need_class(a);
  if (a.value_class != ValueClass::finite) fail(FailureKind::unsupported, "an integer is made of an infinity");
  // It would be forgotten.
  if (a.hazards != 0) fail(FailureKind::unsupported, "an integer is made of what may have no value");
  const double low = std::trunc(a.range.low);
  if (low == std::trunc(a.range.high) && std::fabs(low) < 0x1p52 && !has_holes(a)) {
    return std::clamp(static_cast<std::int64_t>(low), info(dtype).least, info(dtype).greatest);
  }
  if (is_number(a)) fail(FailureKind::unsupported, "an integer is made of a number that is not known");
  const Hash bits = combine(combine(static_cast<Hash>(dtype), space_.field.unknown(a.number.p).p), holes_of(a));
  // Half of them small, so that integers meet.
  constexpr std::int64_t kSmall = 8;
  constexpr std::int64_t kWide = std::int64_t{1} << 40;
  const std::int64_t reach = (bits & 1) != 0 ? kSmall : kWide;
  const auto drawn = static_cast<std::int64_t>((bits >> 1) % static_cast<std::uint64_t>(2 * reach + 1)) - reach;
  return std::clamp(drawn, info(dtype).least, info(dtype).greatest);
}

std::uint64_t OpaqueReals::holes_of(const Value& a) const {
  if (!has_holes(a)) return 0;
  return combine(space_.hash_of_hazards(a.hazards), space_.hash_of_hazards(a.poles));
}

/// The result may be one of the operands.
void OpaqueReals::inherit(Value& out, const Value& a, const Value& b) {
  out.hazards = space_.united_hazards(a.hazards, b.hazards);
  out.poles = space_.united_hazards(a.poles, b.poles);
  out.has_logarithm = a.has_logarithm || b.has_logarithm;
  out.is_piecewise = a.is_piecewise || b.is_piecewise;
  out.set = 0;
  out.is_least = false;
}

void OpaqueReals::set_class(Value& out, ValueClass value_class) const {
  out.value_class = value_class;
  out.core = out.number = {};
  out.range = {0, 0};
  out.degrees = {};
  out.set = 0;
  out.is_nonzero = value_class != ValueClass::finite;
}

void OpaqueReals::set_special(Value& out, const Value& a, const Value& b, ValueClass value_class, bool is_zero) {
  inherit(out, a, b);
  set_class(out, is_zero ? ValueClass::finite : value_class);
}

std::uint32_t OpaqueReals::add_literals(const std::vector<Decimal>& literals) {
  const auto first = static_cast<std::uint32_t>(literals_.size());
  for (const Decimal& decimal : literals) {
    Value& value = literals_.emplace_back();
    value.core = value.number = space_.field.of_decimal(decimal);
    value.range = {below(decimal.nearest), above(decimal.nearest)};
    value.is_nonzero = decimal.digits != 0;
    std::int64_t digits = decimal.digits;
    int places = -decimal.exponent;
    for (; places > 0 && digits % 5 == 0; --places) digits /= 5;
    if (places <= 0 && std::fabs(decimal.nearest) <= 0x1p53) value.range = {decimal.nearest, decimal.nearest};
  }
  return first;
}

void OpaqueReals::constant(Value& out, Fraction value) const {
  out = {};
  if (value == kMinusInfinity) fail(FailureKind::unsupported, "a constant holds -inf");
  out.core = out.number = space_.field.of_fraction(value);
  out.range = {to_double(value), to_double(value)};
  out.is_nonzero = value.mantissa != 0;
}

void OpaqueReals::unknown(Value& out, std::uint64_t bits, const Domain& domain, bool may_be_nan) const {
  out = {};
  if (domain.kind == Domain::Kind::masked) fail(FailureKind::unsupported, "an input may be -inf");
  out.core = out.number = space_.field.unknown(bits);
  if (may_be_nan) out.hazards = space_.hazard(mix(bits));
  out.range = {};
  out.degrees.numerator = 1;
  switch (domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::masked:
    case Domain::Kind::any: return;
    case Domain::Kind::positive: out.range.low = 0; [[fallthrough]];
    case Domain::Kind::nonzero: out.is_nonzero = true; return;
    case Domain::Kind::range:
      out.range = {domain.low, domain.high};
      out.is_nonzero = out.range.is_positive() || domain.high <= 0;
      return;
  }
}

void OpaqueReals::integer(Value& out, std::int64_t value) const {
  out = {};
  out.core = out.number = space_.field.of_integer(value);
  const auto number = static_cast<double>(value);
  const bool exact = value >= -(std::int64_t{1} << 53) && value <= (std::int64_t{1} << 53);
  out.range = {exact ? number : below(number), exact ? number : above(number)};
  out.is_nonzero = value != 0;
}

void OpaqueReals::infinity(Value& out, int sign) const {
  out = {};
  set_class(out, certify::infinity(sign));
}

int OpaqueReals::sign(const Value& a) const {
  if (a.value_class == ValueClass::positive_infinity) return 1;
  if (a.value_class == ValueClass::negative_infinity) return -1;
  if (a.range.is_positive() || (a.range.low >= 0 && a.is_nonzero)) return 1;
  if (a.range.is_negative() || (a.range.high <= 0 && a.is_nonzero)) return -1;
  if (a.range.low == 0 && a.range.high == 0) return 0;
  unknown_sign();
}

void OpaqueReals::negate(Value& out, const Value& a) const {
  if (&out != &a) out = a;
  out.number = space_.field.negate(out.number);
  out.core = space_.field.negate(out.core);
  out.range = out.range.negated();
  out.is_least = !out.is_least;
  out.value_class = negated(out.value_class);
}

void OpaqueReals::add(Value& out, const Value& a, const Value& b) {
  if (!is_finite(a) || !is_finite(b)) {
    const Special special = special_add(a.value_class, b.value_class);
    return set_special(out, a, b, special.result, special.is_zero);
  }
  const OpaqueDegrees degrees = degrees_of_sum(a.degrees, b.degrees);
  const bool nonzero = (a.range.low >= 0 && b.range.low >= 0 && (a.is_nonzero || b.is_nonzero)) ||
                       (a.range.high <= 0 && b.range.high <= 0 && (a.is_nonzero || b.is_nonzero));
  out.core = out.number = space_.field.add(a.number, b.number);
  out.range = certify::add(a.range, b.range);
  inherit(out, a, b);
  out.is_nonzero = nonzero || out.range.is_positive() || out.range.is_negative();
  out.degrees = degrees;
}

void OpaqueReals::subtract(Value& out, const Value& a, const Value& b) {
  Value negative;
  negate(negative, b);
  add(out, a, negative);
}

void OpaqueReals::multiply(Value& out, const Value& a, const Value& b) {
  if (!is_finite(a) || !is_finite(b)) {
    const bool nan = is_nan(a) || is_nan(b);
    const Special special = special_multiply(a.value_class, nan ? 1 : sign(a), b.value_class, nan ? 1 : sign(b));
    return set_special(out, a, b, special.result, special.is_zero);
  }
  const OpaqueDegrees degrees{a.degrees.numerator + b.degrees.numerator, a.degrees.denominator + b.degrees.denominator,
                              a.degrees.divisor + b.degrees.divisor};
  const bool is_square = a.number == b.number;
  const bool nonzero = a.is_nonzero && b.is_nonzero;
  const Twin product = space_.field.multiply(a.number, b.number);
  out.core = is_positive_anywhere(a) ? b.core : is_positive_anywhere(b) ? a.core : product;
  out.number = product;
  out.range = certify::multiply(a.range, b.range);
  if (is_square && out.range.low < 0) out.range.low = 0;
  inherit(out, a, b);
  out.is_nonzero = nonzero;
  out.degrees = degrees;
}

void OpaqueReals::divide(Value& out, const Value& a, const Value& b) {
  if (!is_finite(a) || !is_finite(b)) {
    const int divisor_sign = is_nan(a) || is_nan(b) ? 1 : sign(b);
    if (divisor_sign == 0) fail(FailureKind::unsupported, "a division by zero");
    const Special special =
        special_divide(a.value_class, is_nan(a) || is_finite(a) ? 1 : sign(a), b.value_class, divisor_sign);
    return set_special(out, a, b, special.result, special.is_zero);
  }
  if (b.number.p == 0 || b.number.q == 0) fail(FailureKind::unsupported, "a division by zero");
  const bool surely = assumptions_.is_surely_nonzero(b);
  // Where order was involved, a divisor may be zero on more than a set of measure zero; and a window may have nothing
  // but such a set.
  const std::uint32_t place = surely ? 0 : space_.hazard(mix(b.number.p));
  const bool is_hazard = b.is_piecewise || space_.poles_are_hazards;
  const std::uint64_t divisor = b.degrees.numerator == 0 ? 0 : mix(combine(b.number.p, b.degrees.divisor));
  const OpaqueDegrees degrees{a.degrees.numerator + b.degrees.denominator, a.degrees.denominator + b.degrees.numerator,
                              a.degrees.divisor + divisor};
  const bool nonzero = a.is_nonzero;
  const Twin quotient = space_.field.multiply(a.number, space_.field.inverse(b.number));
  out.core = is_positive_anywhere(b) ? a.core : quotient;
  out.number = quotient;
  out.range = certify::multiply(a.range, inverted(b.range));
  inherit(out, a, b);
  std::uint32_t& places = is_hazard ? out.hazards : out.poles;
  places = space_.united_hazards(places, place);
  out.is_nonzero = nonzero;
  out.degrees = degrees;
}

void OpaqueReals::power(Value& out, const Value& a, const Value& b) {
  if (!is_finite(a) || !is_finite(b)) fail(FailureKind::unsupported, "a power of an infinity");
  if (has_holes(b)) fail(FailureKind::unsupported, "an exponent that may have no value");
  const bool natural = b.range.is_point() && b.range.low == std::floor(b.range.low) && std::fabs(b.range.low) <= 1024;
  if (natural) {
    const double wanted = b.range.low;
    if (wanted == 0 && has_holes(a)) fail(FailureKind::unsupported, "the power 0 of what may have no value");
    auto exponent = static_cast<std::uint64_t>(std::fabs(wanted));
    Value base = a;
    Value result;
    integer(result, 1);
    inherit(result, result, a);
    for (; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) multiply(result, result, base);
      if (exponent > 1) multiply(base, base, base);
    }
    if (std::fmod(wanted, 2.0) == 0) result.range.low = std::max(result.range.low, 0.0);
    if (wanted < 0) {
      Value one;
      integer(one, 1);
      divide(result, one, result);
    }
    out = result;
    return;
  }
  if (b.range.is_point() && std::fabs(b.range.low) == 0.5) {
    return function(b.range.low > 0 ? Function::sqrt : Function::rsqrt, out, a);
  }
  constexpr std::uint64_t kPower = 1000;
  // Where the base is not positive the value depends on whether the exponent is whole, and on its sign.
  if (!assumptions_.is_surely_positive(a)) fail(FailureKind::unsupported, "a power of what may be negative or zero");
  Value result;
  inherit(result, a, b);
  unknowns_.add(b);
  set_unknown(result, a, combine(combine(kPower, a.number.p), b.number.p));
  result.core = result.number;
  result.range = {0, result.range.high};
  result.is_nonzero = is_positive_anywhere(a);
  out = result;
}

void OpaqueReals::arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b) {
  switch (op) {
    case ArithmeticOp::add: return add(out, a, b);
    case ArithmeticOp::subtract: return subtract(out, a, b);
    case ArithmeticOp::multiply: return multiply(out, a, b);
    case ArithmeticOp::divide: return divide(out, a, b);
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: {
      if (!is_finite(a) || !is_finite(b)) fail(FailureKind::unsupported, "a floor division of an infinity");
      const Value dividend = a;
      const Value divisor = b;
      Value quotient;
      divide(quotient, a, b);
      function(Function::floor, op == ArithmeticOp::modulo ? quotient : out, quotient);
      if (op == ArithmeticOp::floor_divide) return;
      multiply(quotient, quotient, divisor);
      return subtract(out, dividend, quotient);
    }
    case ArithmeticOp::power: return power(out, a, b);
    case ArithmeticOp::max:
    case ArithmeticOp::min: break;
  }
  fail(FailureKind::unsupported, "a maximum where no order is known");
}

}  // namespace steptp::certify
