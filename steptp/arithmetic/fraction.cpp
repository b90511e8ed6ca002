#include "steptp/arithmetic/fraction.h"

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
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  auto mantissa = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  exponent -= 53;
  while (mantissa % 2 == 0) {
    mantissa /= 2;
    exponent += 1;
  }
  return {mantissa, exponent};
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
