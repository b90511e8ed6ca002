#pragma once

// Polynomials with exact coefficients over generators: reads with their subscripts, indices, calls, and one over a
// divisor. A generator is known by its canonical key, so A_{a+1} and A_{a} are two.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "steptp/algebra/scalars.h"

namespace steptp::algebra {

struct Generator {
  ExprPtr base;
  ExprPtr key;
  bool inverse = false;  ///< stands for 1/base
};

/// The generators of a question, in the order in which they were met.
class Generators {
 public:
  [[nodiscard]] std::size_t number(const ExprPtr& base, const ExprPtr& key, bool inverse);
  [[nodiscard]] const std::vector<Generator>& all() const { return all_; }

 private:
  std::vector<Generator> all_;
};

/// Exponents by generator, without zeros at the end; greater ones first in the order of the generators.
using Exponents = std::vector<std::uint16_t>;
using Monomials = std::map<Exponents, Rational, std::greater<>>;

/// No coefficient is zero.
struct Polynomial {
  Monomials terms;
  [[nodiscard]] static Polynomial constant(const Rational& value);
  [[nodiscard]] bool is_constant() const;
  [[nodiscard]] bool is_monomial() const { return terms.size() == 1; }
  bool operator==(const Polynomial&) const = default;
};

/// How large a polynomial may grow before the question is given up.
inline constexpr std::size_t kMaxTerms = 64;

/// Nothing where a coefficient does not fit or there are more than kMaxTerms terms.
[[nodiscard]] std::optional<Polynomial> add(const Polynomial& a, const Polynomial& b);
[[nodiscard]] std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b);
[[nodiscard]] std::optional<Polynomial> scaled(const Polynomial& a, const Rational& by);

/// The expression multiplied out; with `keep_sums`, sums that are factors in it are generators.
[[nodiscard]] std::optional<Polynomial> to_polynomial(Scalars& scalars, Generators& generators, const ExprPtr& expr,
                                                      bool keep_sums = false);
[[nodiscard]] ExprPtr to_expr(const Generators& generators, const Polynomial& polynomial);

/// scale * product of factors**exponent; the factors are irreducible over the rationals, or square-free and prime to
/// each other. Their own scale is chosen so that numbers stay short.
struct PolynomialPower {
  Polynomial base;
  int exponent = 1;
};
struct Factorisation {
  Rational scale{1, 1};
  std::vector<PolynomialPower> factors;
};
[[nodiscard]] std::optional<Factorisation> factorise(const Polynomial& polynomial, bool square_free);
/// The greatest common divisor; its scale means nothing.
[[nodiscard]] std::optional<Polynomial> common_divisor(const Polynomial& a, const Polynomial& b);
/// a/b where that is a polynomial.
[[nodiscard]] std::optional<Polynomial> quotient(const Polynomial& a, const Polynomial& b);

/// u*a+v*b = 1 for polynomials in one generator that have no common root, of least degree.
struct Bezout {
  Polynomial u;
  Polynomial v;
};
[[nodiscard]] std::optional<Bezout> bezout(const Polynomial& a, const Polynomial& b, std::size_t generator);

/// The exponent of a generator in the monomial, and the highest in the polynomial.
[[nodiscard]] std::uint16_t exponent_of(const Exponents& exponents, std::size_t generator);
[[nodiscard]] std::uint16_t degree(const Polynomial& polynomial, std::size_t generator);
[[nodiscard]] std::size_t generator_count(const Polynomial& polynomial);

}  // namespace steptp::algebra
