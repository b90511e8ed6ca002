#pragma once

#include <cstdint>
#include <optional>

#include "steptp/arithmetic/prime_field.h"

namespace steptp::certify {

/// The quotient of two small integers that has this residue; nothing where there is none. A residue of something else
/// may have one by accident, so that whoever asks has to look at what comes out.
[[nodiscard]] std::optional<Fraction> small_quotient(const PrimeField& field, PrimeField::Residue residue);

/// a + b, where that is no larger than input values may be.
[[nodiscard]] std::optional<Fraction> sum(Fraction a, Fraction b);

/// Where a function of x is zero that is f0, f1, f2 at x0, x0+1, x0+2 and affine.
[[nodiscard]] std::optional<Fraction> root(const PrimeField& field, Fraction x0, PrimeField::Residue f0,
                                           PrimeField::Residue f1, PrimeField::Residue f2);

}  // namespace steptp::certify
