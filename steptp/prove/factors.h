#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace steptp::forms {

/// A polynomial in numbered unknowns: exponents and coefficient of each term.
using PlainPolynomial = std::vector<std::pair<std::vector<std::uint64_t>, mpq_class>>;

struct PlainFactors {
  mpq_class constant = 1;
  std::vector<std::pair<PlainPolynomial, std::int64_t>> factors;  ///< each with its exponent
};

/// The irreducible factors over the rationals, by FLINT. Whoever relies on them multiplies them out again.
[[nodiscard]] std::optional<PlainFactors> factors_of(const PlainPolynomial& polynomial, std::size_t unknowns);

}  // namespace steptp::forms
