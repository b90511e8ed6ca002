#pragma once

// Float types as numbers: their limits, and what a unit in the last place is at a value. For the arithmetic of bounds,
// which is asked in every operation.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "steptp/arithmetic/error_tape.h"
#include "steptp/ir/dtype.h"

namespace steptp::certify {

/// The exponent of a number other than zero, and a power of two: both as processors keep numbers, where that is known.
[[nodiscard]] inline int binary_exponent(ErrorTape::Number value) {
  if constexpr (std::numeric_limits<ErrorTape::Number>::digits == 64) {
    constexpr int kBias = 16383;
    std::uint16_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const char*>(&value) + 8, sizeof bits);
    const int exponent = bits & 0x7fff;
    if (exponent != 0) return exponent - kBias;
  }
  return std::ilogb(value);
}

[[nodiscard]] inline ErrorTape::Number exact_power_of_two(int exponent) {
  if constexpr (std::numeric_limits<ErrorTape::Number>::digits == 64) {
    constexpr int kBias = 16383;
    if (exponent > -kBias && exponent <= kBias) {
      ErrorTape::Number out = 1;
      const auto bits = static_cast<std::uint16_t>(exponent + kBias);
      std::memcpy(reinterpret_cast<char*>(&out) + 8, &bits, sizeof bits);
      return out;
    }
  }
  return std::ldexp(ErrorTape::Number{1}, exponent);
}

/// Facts of a float type as numbers.
struct Format {
  int precision = 0;
  int max_exponent = 0;
  ErrorTape::Number greatest = 0;
  double greatest_bits = 0;
  double limit_bits = 0;  ///< values of good runs stay below
  ErrorTape::Number least_normal = 0;
  ErrorTape::Number half_least = 0;  ///< half the least subnormal number
  ErrorTape::Number unit_roundoff = 0;
};

/// Of integer types: zeros.
[[nodiscard]] const Format& format_of(DType dtype);

/// Whether each number of the narrow type is one of the wide type.
[[nodiscard]] bool holds(DType wide, DType narrow);
[[nodiscard]] bool is_power_of_two(ErrorTape::Number value);
/// Whether a literal is a number of the type: not below its least normal number unless with few digits.
[[nodiscard]] bool is_number_of(DType dtype, ErrorTape::Number value);

}  // namespace steptp::certify
