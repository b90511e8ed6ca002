#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <optional>

namespace steptp::certify {

/// mantissa * 2^exponent / divisor, exactly. Every input is one; drawn ones have no divisor. An element of a masked
/// input may be -1/0, which stands for -inf.
struct Fraction {
  std::int64_t mantissa = 0;
  std::int32_t exponent = 0;
  std::int32_t divisor = 1;  ///< odd, positive; 0 for -inf alone
  [[nodiscard]] bool is_minus_infinity() const { return divisor == 0; }
  auto operator<=>(const Fraction&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
};

inline constexpr Fraction kMinusInfinity{-1, 0, 0};

/// The nearest one, where the mantissa has no more than 53 bits.
[[nodiscard]] inline double to_double(Fraction value) {
  return std::ldexp(static_cast<double>(value.mantissa) / value.divisor, value.exponent);
}

/// An exact double as a fraction; the value is finite.
[[nodiscard]] Fraction fraction_of(double value);
/// In lowest terms; nothing where a part is too large.
[[nodiscard]] std::optional<Fraction> fraction_of(std::int64_t numerator, std::int64_t denominator);

}  // namespace steptp::certify
