#include "steptp/certify/double_functions.h"

#include <arb.h>
#include <arb_hypgeom.h>

#include <cmath>
#include <limits>

#include "steptp/certify/ball_functions.h"
#include "steptp/certify/failure.h"

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
