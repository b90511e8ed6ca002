#pragma once

#include <cstdint>

#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// Integer arithmetic exactly as the dtype says: modulo 2^64 and then wrapped into the type, which is the same as
/// wrapping after every step.
[[nodiscard]] inline std::int64_t wrapped_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
[[nodiscard]] inline std::int64_t wrapped_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
[[nodiscard]] std::int64_t wrapped_power(std::int64_t base, std::uint64_t exponent);

/// Into an integer type or bool; of a float type, the value itself.
[[nodiscard]] std::int64_t wrapped(DType dtype, std::int64_t value);

/// Floor division, also of the least integer by -1; the divisor is not zero.
[[nodiscard]] std::int64_t safe_quotient(std::int64_t dividend, std::int64_t divisor);
[[nodiscard]] std::int64_t safe_remainder(std::int64_t dividend, std::int64_t divisor);

/// Not `/` and not the power; a divisor is not zero.
[[nodiscard]] std::int64_t integer_operation(ArithmeticOp op, DType dtype, std::int64_t a, std::int64_t b);
/// negate, abs, floor, ceil, round.
[[nodiscard]] std::int64_t integer_function(Function function, DType dtype, std::int64_t a);
[[nodiscard]] bool compare_integers(CompareOp op, std::int64_t a, std::int64_t b);

}  // namespace steptp::certify
