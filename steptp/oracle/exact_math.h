#pragma once

#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp {

/// The functions with correct rounding, by MPFR and nothing else: slow, the same on every machine, safe from several
/// threads. Arguments and results are values of the float dtype, held in doubles. `evaluate` (oracle/arithmetic.h)
/// takes shortcuts where it can show that they give the same, and a test compares the two.

/// exp log sqrt erf tanh sin cos rsqrt; the other functions are exact and need no help.
/// rsqrt(-0) is -inf, as 1/sqrt(-0) is and as IEEE 754-2019 wants.
[[nodiscard]] double exact_function(DType dtype, Function function, double x);

/// The real power, with the special cases of IEEE 754 pow: x**0 and 1**y are 1 even for NaN.
[[nodiscard]] double exact_power(DType dtype, double base, double exponent);

/// The floor of the exact quotient, rounded once; both finite, the divisor not 0.
[[nodiscard]] double exact_floor_divide(DType dtype, double left, double right);

}  // namespace steptp
