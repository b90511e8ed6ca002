#pragma once

#include <optional>

#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp {

/// The same values as oracle/exact_math.h, faster. The machine's libm proposes a value in a wider type; if everything
/// within a generous distance of it rounds to the same number, that number is the answer (Ziv's test), otherwise MPFR
/// decides. The distance is thousands of times what any libm in use errs in double, and about sixty times in x87
/// extended precision, so the answer is a property of the function and not of the libm.

/// Ziv's test: the number to which everything near the proposal rounds, none where neighbours differ or the proposal is
/// infinite, NaN or tiny. Near is 2^-40 of the proposal for a type narrower than double, 2^-58 for f64 (the second).
[[nodiscard]] std::optional<double> settled(DType dtype, double proposed);
[[nodiscard]] std::optional<double> settled(long double proposed);

/// exp log erf tanh sin cos rsqrt; sqrt goes to MPFR.
[[nodiscard]] double rounded_function(DType dtype, Function function, double x);

[[nodiscard]] double rounded_power(DType dtype, double base, double exponent);

}  // namespace steptp
