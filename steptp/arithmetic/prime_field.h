#pragma once

#include <cstdint>

#include "steptp/arithmetic/decimal.h"
#include "steptp/arithmetic/fraction.h"

namespace steptp::certify {

/// Arithmetic modulo a prime between 2^60 and 2^61. Residues are in Montgomery form (x * 2^64 mod p): equal residues
/// are equal numbers, and a product costs three multiplications and no division.
///
/// The prime is not taken from a table but is the first one after a hash: whoever writes a program against a table
/// could multiply all its primes; nobody can aim at a prime that depends on the hash of the two programs.
class PrimeField {
 public:
  using Residue = std::uint64_t;

  explicit PrimeField(std::uint64_t seed);
  /// By a given prime, odd and below 2^62.
  [[nodiscard]] static PrimeField modulo(std::uint64_t prime) { return {prime, Given{}}; }

  [[nodiscard]] std::uint64_t prime() const { return prime_; }
  [[nodiscard]] Residue one() const { return one_; }

  [[nodiscard]] Residue add(Residue a, Residue b) const {
    const std::uint64_t sum = a + b;
    return sum >= prime_ ? sum - prime_ : sum;
  }
  [[nodiscard]] Residue subtract(Residue a, Residue b) const { return a >= b ? a - b : a + prime_ - b; }
  [[nodiscard]] Residue negate(Residue a) const { return a == 0 ? 0 : prime_ - a; }
  [[nodiscard]] Residue multiply(Residue a, Residue b) const {
    const Double product = static_cast<Double>(a) * b;
    return reduce(product);
  }
  /// Of a residue that is not zero.
  [[nodiscard]] Residue inverse(Residue a) const;
  [[nodiscard]] Residue power(Residue base, std::uint64_t exponent) const;

  [[nodiscard]] Residue of_integer(std::int64_t value) const;
  [[nodiscard]] Residue of_fraction(Fraction value) const {
    // Almost every input is a small multiple of 2^-52.
    constexpr std::int64_t kSmall = std::int64_t{1} << 60;
    const bool is_usual = value.exponent == -52 && value.divisor == 1;
    if (!is_usual || value.mantissa <= -kSmall || value.mantissa >= kSmall) return of_any_fraction(value);
    const std::int64_t m = value.mantissa;
    const Residue residue = multiply(static_cast<std::uint64_t>(m < 0 ? -m : m), input_factor_);
    return m < 0 ? negate(residue) : residue;
  }
  [[nodiscard]] Residue of_decimal(const Decimal& value) const;
  /// A function that no arithmetic can express: an unknown of its own for each function and argument, so that equal
  /// residues mean equal expressions of functions, whatever the functions are.
  [[nodiscard]] Residue of_function(std::uint64_t function, Residue argument, Residue second = 0) const;
  /// The number in the usual form, for tests.
  [[nodiscard]] std::uint64_t number(Residue a) const { return reduce(a); }

  __extension__ typedef unsigned __int128 Double;  // NOLINT(modernize-use-using): an extension

  /// A sum of at most kMostProducts products of residues, each as a plain integer, becomes the residue of the sum.
  static constexpr std::size_t kMostProducts = 32;
  [[nodiscard]] Residue of_products(Double sum) const {
    const std::uint64_t factor = static_cast<std::uint64_t>(sum) * negated_inverse_;
    return static_cast<std::uint64_t>((sum + static_cast<Double>(factor) * prime_) >> 64) % prime_;
  }
  /// magnitude * 2^-104: a sum of products of inputs.
  [[nodiscard]] Residue of_input_products(Double magnitude) const {
    const auto rest = static_cast<std::uint64_t>(magnitude % prime_);
    return multiply(multiply(rest, input_factor_), input_unit_);
  }

 private:
  struct Given {};

  PrimeField(std::uint64_t prime, Given given);
  [[nodiscard]] Residue reduce(Double product) const {
    const std::uint64_t factor = static_cast<std::uint64_t>(product) * negated_inverse_;
    const auto high = static_cast<std::uint64_t>((product + static_cast<Double>(factor) * prime_) >> 64);
    return high >= prime_ ? high - prime_ : high;
  }
  [[nodiscard]] Residue of_any_fraction(Fraction value) const;
  [[nodiscard]] Residue of_number(std::uint64_t value) const { return multiply(value % prime_, square_); }
  [[nodiscard]] Residue inverse_of_two() const;
  [[nodiscard]] Residue power_of_two(std::int32_t exponent) const;

  std::uint64_t prime_;
  std::uint64_t negated_inverse_ = 0;  ///< -1/p mod 2^64
  Residue one_ = 0;                    ///< 2^64 mod p
  Residue square_ = 0;                 ///< 2^128 mod p
  Residue half_ = 0;
  Residue input_unit_ = 0;    ///< 2^-52
  Residue input_factor_ = 0;  ///< takes a number in the usual form to the residue of its product with 2^-52
};

}  // namespace steptp::certify
