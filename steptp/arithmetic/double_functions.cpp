// Bounds of functions on intervals of doubles, by Arb or by sums and products that are exact: the C library may round
// otherwise on another machine. docs/decisions/0010-certified-evaluation.md.
#include "steptp/arithmetic/double_functions.h"

#include <arb.h>
#include <arb_hypgeom.h>

#include <cmath>
#include <limits>

#include "steptp/arithmetic/ball_functions.h"
#include "steptp/arithmetic/failure.h"

namespace steptp::certify {

namespace {

constexpr slong kPrecision = 64;

FunctionRange of_class(ValueClass value) {
  FunctionRange range;
  range.value_class = value;
  return range;
}

FunctionRange number(double value) { return {ValueClass::finite, value, value, false}; }

FunctionRange undecided() {
  FunctionRange range;
  range.is_undecided = true;
  return range;
}

/// Where quick_exp is good.
constexpr double kQuickLimit = 700;

/// exp, with a relative error below 2^-50: the argument is reduced by a multiple of ln 2 in two parts, of which the
/// first product is exact, to at most 0.35, where 14 terms leave 2^-57 and Horner's rule loses a few units of 2^-53.
/// Only sums and products of doubles, so the same on every machine; softmax is made of these.
double quick_exp(double x) {
  constexpr double kInverse = 0x1.71547652b82fep+0;
  constexpr double kFirst = 0x1.62e42feep-1;  // 32 of 53 bits: times a whole number below 2^11 it is exact
  constexpr double kSecond = 0x1.a39ef35793c76p-33;
  constexpr double kTerms[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1,           1};
  const double k = std::nearbyint(x * kInverse);
  const double rest = (x - k * kFirst) - k * kSecond;
  double sum = 0;
  for (const double term : kTerms) sum = term + rest * sum;
  return std::ldexp(sum, static_cast<int>(k));
}

FunctionRange widened(double low, double high, double margin) {
  return {ValueClass::finite, low - low * margin, high + high * margin, false};
}

/// Of positive results that need no ball; false where the ball has to decide.
bool is_quick(Function function, double low, double high, FunctionRange& range) {
  if (function == Function::exp && low > -kQuickLimit && high < kQuickLimit) {
    range = widened(quick_exp(low), quick_exp(high), 0x1p-48);
    return true;
  }
  // Rounded correctly by every machine.
  const bool is_normal = low > 0x1p-900 && high < 0x1p900;
  if (function == Function::sqrt && is_normal) range = widened(std::sqrt(low), std::sqrt(high), 0x1p-51);
  if (function == Function::rsqrt && is_normal) range = widened(1 / std::sqrt(high), 1 / std::sqrt(low), 0x1p-50);
  return is_normal && (function == Function::sqrt || function == Function::rsqrt);
}

void set_bounds(FunctionRange& range, const arb_t ball) {
  arf_t low;
  arf_t high;
  arf_init(low);
  arf_init(high);
  arb_get_lbound_arf(low, ball, kPrecision);
  arb_get_ubound_arf(high, ball, kPrecision);
  range.low = arf_get_d(low, ARF_RND_FLOOR);
  range.high = arf_get_d(high, ARF_RND_CEIL);
  arf_clear(low);
  arf_clear(high);
}

}  // namespace

FunctionRange function_range(Function function, ValueClass value_class, double low, double high) {
  if (value_class != ValueClass::finite) {
    const LimitValue limit = limit_of(function, value_class);
    return limit.value_class == ValueClass::finite ? number(limit.number) : of_class(limit.value_class);
  }
  if (function == Function::log || function == Function::sqrt || function == Function::rsqrt) {
    if (high < 0) return of_class(ValueClass::nan);
    if (low == 0 && high == 0) {
      if (function == Function::log) return of_class(ValueClass::negative_infinity);
      if (function == Function::sqrt) return number(0);
      fail(FailureKind::undefined_value, "rsqrt of zero");
    }
    if (low < 0 || (low == 0 && function != Function::sqrt)) return undecided();
  }
  if (!std::isfinite(low) || !std::isfinite(high)) return undecided();
  if (low == 0 && high == 0) {
    return number(function == Function::exp || function == Function::cos ? 1 : 0);
  }
  if (low == 1 && high == 1 && function == Function::log) return number(0);
  FunctionRange quick;
  if (is_quick(function, low, high, quick)) return quick;
  arb_t ball;
  arb_t end;
  arb_init(ball);
  arb_init(end);
  arb_set_d(ball, low);
  if (low != high) {
    arb_set_d(end, high);
    arb_union(ball, ball, end, kPrecision);
  }
  evaluate_function(function, ball, ball, kPrecision);
  FunctionRange range;
  range.is_undecided = arb_is_finite(ball) == 0;
  set_bounds(range, ball);
  // What the ball's roundness adds below the function's range is taken away again.
  if (function == Function::exp || function == Function::sqrt) range.low = std::max(range.low, 0.0);
  arb_clear(ball);
  arb_clear(end);
  return range;
}

}  // namespace steptp::certify
