#pragma once

// Expressions out of terms. Factors keep the text they had; only numbers that were combined are spelled anew.

#include <utility>
#include <vector>

#include "steptp/algebra/scalars.h"

namespace steptp::algebra {

/// base**exponent for a positive exponent; the base itself for 1.
[[nodiscard]] ExprPtr make_power(ExprPtr base, int exponent);
/// a*b*.../(c*d*...), without the sign; 1 where there are no factors.
[[nodiscard]] ExprPtr build_product(const std::vector<Factor>& factors);
/// The size of a coefficient times the factors: as a literal in front, or as `numerator*.../denominator`.
[[nodiscard]] ExprPtr build_scaled(const Rational& size, std::vector<Factor> factors);

/// A summand with its sign.
struct Signed {
  bool negative = false;
  ExprPtr expr;
};
[[nodiscard]] Signed build(const Term& term);
/// Their sum; one that is added stands in front where there is one. 0 where there are none.
[[nodiscard]] ExprPtr build_sum(std::vector<Signed> terms);
[[nodiscard]] ExprPtr build_sum(const std::vector<Term>& terms);
/// The product with the factor `at`, which is a sum, multiplied out: one product for each of its terms.
[[nodiscard]] std::vector<Term> distributed(const Term& product, std::size_t at, const std::vector<Term>& sum);
[[nodiscard]] ExprPtr make_negated(const ExprPtr& expr);

}  // namespace steptp::algebra
