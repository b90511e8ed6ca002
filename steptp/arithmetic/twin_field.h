#pragma once

#include <cstdint>

#include "steptp/arithmetic/prime_field.h"

namespace steptp::certify {

/// A number modulo two primes at once. The first says which number it is; the second is what exp asks for.
struct Twin {
  PrimeField::Residue p = 0;
  PrimeField::Residue q = 0;
  /// Values of exp are unknowns modulo q, so that equal numbers may differ there: exp(a)*exp(b) and exp(a+b).
  bool operator==(const Twin& other) const { return p == other.p; }
  [[nodiscard]] bool is_zero() const { return p == 0; }
};

/// Arithmetic modulo two primes p and q where q divides p-1, so that exp is a homomorphism from the sums modulo q into
/// the products modulo p: exp(a)*exp(b)=exp(a+b). Modulo q, a value of exp is an unknown that depends on nothing but
/// the value. As in PrimeField, the primes follow from a hash.
class TwinField {
 public:
  explicit TwinField(std::uint64_t seed) : TwinField(primes_of(seed)) {}

  [[nodiscard]] Twin add(Twin a, Twin b) const { return {p_.add(a.p, b.p), q_.add(a.q, b.q)}; }
  [[nodiscard]] Twin subtract(Twin a, Twin b) const { return {p_.subtract(a.p, b.p), q_.subtract(a.q, b.q)}; }
  [[nodiscard]] Twin negate(Twin a) const { return {p_.negate(a.p), q_.negate(a.q)}; }
  [[nodiscard]] Twin multiply(Twin a, Twin b) const { return {p_.multiply(a.p, b.p), q_.multiply(a.q, b.q)}; }
  /// Neither residue is zero.
  [[nodiscard]] Twin inverse(Twin a) const { return {p_.inverse(a.p), q_.inverse(a.q)}; }
  [[nodiscard]] Twin one() const { return {p_.one(), q_.one()}; }
  [[nodiscard]] Twin of_integer(std::int64_t value) const { return {p_.of_integer(value), q_.of_integer(value)}; }
  [[nodiscard]] Twin of_decimal(const Decimal& value) const { return {p_.of_decimal(value), q_.of_decimal(value)}; }
  [[nodiscard]] Twin of_fraction(Fraction value) const { return {p_.of_fraction(value), q_.of_fraction(value)}; }
  /// An unknown: the same for the same key, otherwise as if drawn.
  [[nodiscard]] Twin unknown(std::uint64_t key) const;
  [[nodiscard]] Twin exp(Twin a) const;

 private:
  struct Primes {
    std::uint64_t p = 0;
    std::uint64_t q = 0;
    std::uint64_t seed = 0;
  };
  explicit TwinField(Primes primes);
  [[nodiscard]] static Primes primes_of(std::uint64_t seed);

  PrimeField p_;
  PrimeField q_;
  std::uint64_t seed_;
  PrimeField::Residue generator_ = 0;  ///< of the subgroup of order q
};

}  // namespace steptp::certify
