#pragma once

#include <arb.h>

#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// A function's value at an infinity or NaN: a number, an infinity or NaN.
struct LimitValue {
  ValueClass value_class = ValueClass::finite;
  int number = 0;
};
[[nodiscard]] LimitValue limit_of(Function function, ValueClass argument);

/// exp log sqrt erf tanh sin cos rsqrt of a ball inside the function's domain.
void evaluate_function(Function function, arb_t out, const arb_t argument, slong precision);

}  // namespace steptp::certify
