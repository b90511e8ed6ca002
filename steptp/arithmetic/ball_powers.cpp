// Powers of balls: of finite values, and of infinite ones as IEEE says. ball_arithmetic.cpp has the rest.
#include <cstdlib>

#include "steptp/arithmetic/ball_arithmetic.h"
#include "steptp/arithmetic/failure.h"

namespace steptp::certify {

namespace {

using Value = BallArithmetic::Value;

bool is_finite(const Value& a) { return a.value_class == ValueClass::finite; }

}  // namespace

/// As IEEE says; at least one operand is infinite and none is NaN.
void BallArithmetic::infinite_power(Value& out, const Value& a, const Value& b) {
  if (is_finite(b)) {
    const int exponent_sign = sign(b);
    if (exponent_sign < 0) return integer(out, 0);
    Value half;
    arb_mul_2exp_si(half.ball, b.ball, -1);
    const bool odd = arb_is_int(b.ball) != 0 && arb_is_int(half.ball) == 0;
    if (arb_is_int(b.ball) == 0 && arb_contains_int(b.ball) != 0) undecided();
    return set_class(out, sign(a) < 0 && odd ? ValueClass::negative_infinity : ValueClass::positive_infinity);
  }
  if (!is_finite(a)) return sign(b) > 0 ? set_class(out, ValueClass::positive_infinity) : integer(out, 0);
  Value magnitude;
  function(Function::abs, magnitude, a);
  Value one;
  integer(one, 1);
  const Order against_one = order(magnitude, one);
  if (against_one == Order::unknown) undecided();
  if (against_one == Order::equal) return integer(out, 1);
  const bool grows = (against_one == Order::greater) == (sign(b) > 0);
  return grows ? set_class(out, ValueClass::positive_infinity) : integer(out, 0);
}

void BallArithmetic::power(Value& out, const Value& a, const Value& b) {
  if (!is_finite(a) || !is_finite(b)) {
    if (is_finite(b) && arb_is_zero(b.ball) != 0) return integer(out, 1);
    if (a.value_class == ValueClass::nan || b.value_class == ValueClass::nan) return set_class(out, ValueClass::nan);
    return infinite_power(out, a, b);
  }
  const bool natural = arb_is_int(b.ball) != 0 && arf_cmpabs_ui(arb_midref(b.ball), 1024) <= 0;
  if (natural) {
    const std::int64_t exponent = arf_get_si(arb_midref(b.ball), ARF_RND_DOWN);
    const auto magnitude = static_cast<std::uint64_t>(std::abs(exponent));
    for (std::size_t i = 0; i < 2; ++i) out.identity[i] = fields_[i].power(a.identity[i], magnitude);
    arb_pow_ui(out.ball, a.ball, magnitude, precision_);
    out.value_class = ValueClass::finite;
    if (exponent >= 0) return;
    Value one;
    integer(one, 1);
    return divide(out, one, out);
  }
  if (arb_is_exact(b.ball) != 0 && arf_cmpabs_d(arb_midref(b.ball), 0.5) == 0) {
    return transcendental(arb_is_positive(b.ball) != 0 ? Function::sqrt : Function::rsqrt, out, a);
  }
  const int base_sign = sign(a);
  if (base_sign < 0) {
    if (arb_contains_int(b.ball) != 0) undecided();
    return set_class(out, ValueClass::nan);
  }
  if (base_sign == 0) {
    if (sign(b) < 0) fail(FailureKind::undefined_value, "a negative power of zero");
    return integer(out, 0);
  }
  ++functions_;
  constexpr std::uint64_t kPower = 1000;
  for (std::size_t i = 0; i < 2; ++i) out.identity[i] = fields_[i].of_function(kPower, a.identity[i], b.identity[i]);
  arb_pow(out.ball, a.ball, b.ball, precision_);
  out.value_class = ValueClass::finite;
  if (arb_is_finite(out.ball) == 0) undecided();
}

}  // namespace steptp::certify
