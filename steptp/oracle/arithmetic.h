#pragma once

#include <cstdint>
#include <optional>

#include "steptp/ir/operation.h"
#include "steptp/oracle/scalar.h"

namespace steptp {

/// The operations of LEIR on numbers (docs/language.md R7). Operands have the dtype that ir/typing.h gives the
/// operation, and so has the result (a comparison's is bool): the caller converts. Every result is the exact one
/// rounded once, to nearest, ties to even, in that dtype; integers wrap; nothing depends on the machine's libm.
///
/// Where operands are bool the operation is done in integers and converted by `!= 0`: + is or, * is and, - is
/// unequal, the sign and abs change nothing.
///
/// Floats, `//` and `%`: the floor of the exact quotient, and left - floor * right with the sign of the divisor (a zero
/// too), as Python and numpy have them: x//0 is x/0 (inf or NaN), x%0 is NaN, inf//y and inf%y are NaN;
/// x//inf is 0 or, where the signs differ, -1, and x%inf is x or that infinity; NaN gives NaN.
///
/// Floats, max and min: a number beats NaN, and +0 is greater than -0. Power is IEEE 754 pow.
///
/// None exactly where the language says error: integer (or bool) `//` and `%` by 0. Besides, as precaution, integer
/// division `/` and a negative integer exponent, for which ir/typing.h never asks.
[[nodiscard]] std::optional<Scalar> evaluate(ArithmeticOp op, Scalar left, Scalar right);

/// base ** exponent in the integer dtype of the base, wrapping. The exponent is the literal as written: converted to
/// the base's dtype first, C^{i8}**200 would have a negative one.
[[nodiscard]] Scalar integer_power(Scalar base, std::uint64_t exponent);

/// NaN: all comparisons are false, `!=` is true.
[[nodiscard]] bool compare(CompareOp op, Scalar left, Scalar right);

/// The argument is a float, except that negate and abs also take integers (and wrap), and floor, ceil and round give
/// an integer back as it is. An integer argument of another function is converted to f64, which ir/typing.h never asks.
[[nodiscard]] Scalar evaluate(Function function, Scalar argument);

}  // namespace steptp
