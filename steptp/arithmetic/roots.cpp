// Residues of an affine function at three points give its slope, and the root as a residue; Euclid's algorithm turns
// that into the one quotient of small integers which has it. docs/decisions/0019-inputs-solved-for.md.
#include "steptp/arithmetic/roots.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace steptp::certify {

namespace {

/// Twice their product is below every prime, so that there is one quotient at most.
constexpr std::int64_t kMostAbove = std::int64_t{1} << 28;
constexpr std::int64_t kMostBelow = std::int64_t{1} << 31;

/// As few bits as the number needs.
Fraction lowest(Fraction value) {
  if (value.mantissa == 0) return {};
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(value.mantissa));
  const int shift = std::min(zeros, std::max(0, -value.exponent));
  return {value.mantissa / (std::int64_t{1} << shift), value.exponent + shift, value.divisor};
}

}  // namespace

std::optional<Fraction> small_quotient(const PrimeField& field, PrimeField::Residue residue) {
  // Euclid's algorithm on (p, number): every remainder is the number times its cofactor, modulo p.
  auto remainder = static_cast<std::int64_t>(field.number(residue));
  auto before = static_cast<std::int64_t>(field.prime());
  std::int64_t cofactor = 1;
  std::int64_t cofactor_before = 0;
  while (remainder >= kMostAbove) {
    const std::int64_t quotient = before / remainder;
    const std::int64_t next = before - quotient * remainder;
    const std::int64_t next_cofactor = cofactor_before - quotient * cofactor;
    before = remainder;
    remainder = next;
    cofactor_before = cofactor;
    cofactor = next_cofactor;
  }
  if (cofactor >= kMostBelow || cofactor <= -kMostBelow || cofactor == 0) return std::nullopt;
  return cofactor < 0 ? fraction_of(-remainder, -cofactor) : fraction_of(remainder, cofactor);
}

std::optional<Fraction> sum(Fraction a, Fraction b) {
  a = lowest(a);
  b = lowest(b);
  constexpr int kMostBits = 20;  // below the point; with 31 of a divisor, products fit
  if (a.exponent > 0 || b.exponent > 0 || a.exponent < -kMostBits || b.exponent < -kMostBits) return std::nullopt;
  const std::int64_t below_a = a.divisor * (std::int64_t{1} << -a.exponent);
  const std::int64_t below_b = b.divisor * (std::int64_t{1} << -b.exponent);
  const std::int64_t common = std::gcd(below_a, below_b);
  std::int64_t left = 0;
  std::int64_t right = 0;
  std::int64_t above = 0;
  std::int64_t below = 0;
  if (__builtin_mul_overflow(a.mantissa, below_b / common, &left) ||
      __builtin_mul_overflow(b.mantissa, below_a / common, &right) || __builtin_add_overflow(left, right, &above) ||
      __builtin_mul_overflow(below_a, below_b / common, &below)) {
    return std::nullopt;
  }
  return fraction_of(above, below);
}

std::optional<Fraction> root(const PrimeField& field, Fraction x0, PrimeField::Residue f0, PrimeField::Residue f1,
                             PrimeField::Residue f2) {
  const PrimeField::Residue slope = field.subtract(f1, f0);
  if (slope == 0 || field.subtract(f2, f1) != slope) return std::nullopt;
  const auto way = small_quotient(field, field.multiply(field.negate(f0), field.inverse(slope)));
  return way ? sum(x0, *way) : std::nullopt;
}

}  // namespace steptp::certify
