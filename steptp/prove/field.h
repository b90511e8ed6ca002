#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>

namespace steptp::forms {

/// Numbers modulo a prime that is drawn from the seed, each prime between 2^(bits-1) and 3/2 of that as likely as any
/// other, so nobody can write a program against a table of primes. A test may ask for a small prime, to see errors
/// happen as often as their bound says.
class Field {
 public:
  using Residue = std::uint64_t;

  explicit Field(std::uint64_t seed, int bits = 61);

  [[nodiscard]] std::uint64_t prime() const { return prime_; }
  /// How likely a number of so many bits, other than zero, is divided by the prime, times the prime: at most so many
  /// primes divide it as its bits hold bits of a prime.
  [[nodiscard]] double weight_of_bits(double bits) const { return bits * weight_; }
  [[nodiscard]] Residue add(Residue a, Residue b) const {
    const std::uint64_t sum = a + b;
    return sum >= prime_ ? sum - prime_ : sum;
  }
  [[nodiscard]] Residue negate(Residue a) const { return a == 0 ? 0 : prime_ - a; }
  [[nodiscard]] Residue subtract(Residue a, Residue b) const { return add(a, negate(b)); }
  [[nodiscard]] Residue multiply(Residue a, Residue b) const;
  [[nodiscard]] Residue power(Residue base, std::uint64_t exponent) const;
  /// Of a residue other than zero.
  [[nodiscard]] Residue inverse(Residue a) const { return power(a, prime_ - 2); }
  [[nodiscard]] Residue of_integer(std::int64_t value) const;
  /// Nothing where the prime divides the denominator.
  [[nodiscard]] std::optional<Residue> of_rational(const mpq_class& value) const;
  /// An unknown: the same for equal keys, and otherwise as good as independent.
  [[nodiscard]] Residue of_key(std::uint64_t key) const;

 private:
  std::uint64_t prime_;
  std::uint64_t seed_;
  double weight_;
};

}  // namespace steptp::forms
