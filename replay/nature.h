#pragma once

#include <cstdint>

#include "steptp/ir/operation.h"

namespace steptp::replayer {

/// What a value can be: a set of the six kinds below. A value that does not exist is of no kind, so an empty set means
/// that there is never a value. The first five are in the order of numbers.
using Nature = std::uint8_t;

namespace nature {

inline constexpr Nature kMinusInfinity = 1;
inline constexpr Nature kNegative = 2;
inline constexpr Nature kZero = 4;
inline constexpr Nature kPositive = 8;
inline constexpr Nature kPlusInfinity = 16;
inline constexpr Nature kNan = 32;
inline constexpr Nature kFinite = kNegative | kZero | kPositive;
inline constexpr Nature kInfinite = kMinusInfinity | kPlusInfinity;
inline constexpr Nature kOrdered = kFinite | kInfinite;
inline constexpr Nature kAnything = kOrdered | kNan;

/// What an operation makes of operands of these kinds (docs/language.md; the values are of the extended reals). Each
/// result holds every kind that can occur, and perhaps more.
[[nodiscard]] Nature of_interval(double low, double high);
[[nodiscard]] Nature negated(Nature a);
[[nodiscard]] Nature sum(Nature a, Nature b);
[[nodiscard]] Nature product(Nature a, Nature b);
[[nodiscard]] Nature quotient(Nature above, Nature below);
[[nodiscard]] Nature extremum(bool is_max, Nature a, Nature b);
[[nodiscard]] Nature whole_power(Nature base, std::int64_t exponent);
[[nodiscard]] Nature real_power(Nature base, Nature exponent);
[[nodiscard]] Nature function(Function function, Nature a);
/// A fold of terms of one nature; `may_be_empty`: perhaps of none.
[[nodiscard]] Nature fold(ArithmeticOp op, Nature term, bool may_be_empty);
/// What is left of `a` where it is known to be less than something of nature `b`, or greater.
[[nodiscard]] Nature where_less(Nature a, Nature b, bool or_equal);
[[nodiscard]] Nature where_greater(Nature a, Nature b, bool or_equal);

}  // namespace nature

}  // namespace steptp::replayer
