#include "steptp/arithmetic/ball_functions.h"

#include <arb_hypgeom.h>

#include "steptp/arithmetic/failure.h"

namespace steptp::certify {

LimitValue limit_of(Function function, ValueClass argument) {
  if (argument == ValueClass::nan) return {ValueClass::nan, 0};
  const bool positive = argument == ValueClass::positive_infinity;
  switch (function) {
    case Function::exp: return positive ? LimitValue{argument, 0} : LimitValue{ValueClass::finite, 0};
    case Function::log:
    case Function::sqrt: return positive ? LimitValue{argument, 0} : LimitValue{ValueClass::nan, 0};
    case Function::rsqrt: return positive ? LimitValue{ValueClass::finite, 0} : LimitValue{ValueClass::nan, 0};
    case Function::erf:
    case Function::tanh: return {ValueClass::finite, positive ? 1 : -1};
    case Function::sin:
    case Function::cos: return {ValueClass::nan, 0};
    case Function::negate:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: break;
  }
  fail(FailureKind::unsupported, "not a function of this table");
}

void evaluate_function(Function function, arb_t out, const arb_t argument, slong precision) {
  switch (function) {
    case Function::exp: return arb_exp(out, argument, precision);
    case Function::log: return arb_log(out, argument, precision);
    case Function::sqrt: return arb_sqrt(out, argument, precision);
    case Function::rsqrt: return arb_rsqrt(out, argument, precision);
    case Function::erf: return arb_hypgeom_erf(out, argument, precision);
    case Function::tanh: return arb_tanh(out, argument, precision);
    case Function::sin: return arb_sin(out, argument, precision);
    case Function::cos: return arb_cos(out, argument, precision);
    case Function::negate:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: break;
  }
  fail(FailureKind::unsupported, "not a function of this table");
}

}  // namespace steptp::certify
