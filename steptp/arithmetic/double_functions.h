#pragma once

#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// What a function makes of an interval, or of an infinity or NaN.
struct FunctionRange {
  ValueClass value_class = ValueClass::finite;
  double low = 0;
  double high = 0;
  bool is_undecided = false;  ///< the interval crosses the edge of the function's domain
};

/// Of exp log sqrt erf tanh sin cos rsqrt. Computed with Arb or with sums and products, not with the C library: bounds
/// are the same on every machine.
[[nodiscard]] FunctionRange function_range(Function function, ValueClass value_class, double low, double high);

}  // namespace steptp::certify
