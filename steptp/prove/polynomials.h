#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Real values as sums of rational multiples of products of generators: sums, products and inverses.
class Polynomials : private Room {
 public:
  explicit Polynomials(Arena& arena) : Room(arena) {}

  [[nodiscard]] PolynomialId constant(mpq_class value);
  [[nodiscard]] PolynomialId integer(const Affine& affine);
  [[nodiscard]] PolynomialId generator(Generator generator);
  [[nodiscard]] std::optional<Affine> as_affine(PolynomialId id);
  [[nodiscard]] PolynomialId add(PolynomialId left, PolynomialId right);
  [[nodiscard]] PolynomialId scale(PolynomialId polynomial, const mpq_class& factor);
  [[nodiscard]] PolynomialId negate(PolynomialId polynomial) { return scale(polynomial, -1); }
  // ---- products and inverses (multiplication.cpp)
  [[nodiscard]] PolynomialId multiply(PolynomialId left, PolynomialId right);
  /// The polynomial as one factor.
  [[nodiscard]] PolynomialId lump(PolynomialId polynomial);
  [[nodiscard]] PolynomialId inverse(PolynomialId polynomial);
  [[nodiscard]] PolynomialId integer_power(PolynomialId base, std::int64_t exponent);

 private:
  using Exponents = std::map<GeneratorId, std::int64_t>;

  [[nodiscard]] PolynomialId join_selects(PolynomialId sum);
  [[nodiscard]] PolynomialId multiply_monomials(MonomialId left, MonomialId right);
  [[nodiscard]] std::optional<PolynomialId> without_roots(Exponents& exponents);
  [[nodiscard]] std::optional<PolynomialId> with_joined_folds(const Monomial& product, const Exponents& exponents);
  [[nodiscard]] PolynomialId product_of(Monomial factors);
  [[nodiscard]] PolynomialId inverse_of_product(PolynomialId product);
  /// The argument of a root whose square is its argument: it is never negative.
  [[nodiscard]] std::optional<PolynomialId> under_root(GeneratorId id);
};

}  // namespace steptp::forms
