#include "steptp/arithmetic/fraction.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace steptp::certify {

namespace {

constexpr int kMostBits = 30;  ///< a binary exponent of a fraction that is written as one

}  // namespace

Fraction fraction_of(double value) {
  // Multiples of 2^-52 that are not large are what arithmetic is quick with.
  const double scaled = value * 0x1p52;
  if (std::fabs(scaled) < 0x1p60 && scaled == std::trunc(scaled)) return {static_cast<std::int64_t>(scaled), -52};
  // The parts of the double, as IEEE 754 lays them out.
  constexpr int kFractionBits = 52;
  constexpr int kBias = 1023 + kFractionBits;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto biased = static_cast<int>(bits >> kFractionBits & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFractionBits) - 1);
  const std::uint64_t magnitude = biased == 0 ? fraction : fraction | std::uint64_t{1} << kFractionBits;
  const int zeros = std::countr_zero(magnitude);
  const auto mantissa = static_cast<std::int64_t>(magnitude >> zeros);
  return {std::signbit(value) ? -mantissa : mantissa, std::max(biased, 1) - kBias + zeros};
}

std::optional<Fraction> fraction_of(std::int64_t numerator, std::int64_t denominator) {
  constexpr std::int64_t kMost = std::int64_t{1} << 52;
  if (numerator <= -kMost || numerator >= kMost || denominator <= 0) return std::nullopt;
  const std::int64_t common = std::gcd(numerator, denominator);
  numerator /= common;
  denominator /= common;
  const int down = std::countr_zero(static_cast<std::uint64_t>(denominator));
  denominator >>= down;
  if (down > kMostBits || denominator > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return Fraction{numerator, -down, static_cast<std::int32_t>(denominator)};
}

}  // namespace steptp::certify
