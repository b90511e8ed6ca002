#pragma once

#include <optional>
#include <vector>

#include "steptp/algebra/polynomial.h"

namespace steptp::algebra {

/// numerator / denominator**exponent.
struct PartialFraction {
  Polynomial numerator;
  PolynomialPower denominator;
};
struct PartialFractions {
  Polynomial whole;
  std::vector<PartialFraction> parts;  ///< at least two; their denominators have no common factor
};

/// numerator/denominator taken apart in one generator, the only one in the denominator. Nothing where the denominator
/// is a power of one irreducible factor.
[[nodiscard]] std::optional<PartialFractions> partial_fractions(const Polynomial& numerator,
                                                                const Polynomial& denominator, std::size_t generator);

}  // namespace steptp::algebra
