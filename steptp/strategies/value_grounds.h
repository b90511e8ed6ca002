#pragma once

// From where it is known that values are finite and that divisors are not zero: what the reasoning says of a step that
// rests on it. Worked out for the step that is made, not for every one that could be.

#include <vector>

#include "steptp/strategies/scalar_steps.h"

namespace steptp {

/// {"given":[tensors],"computed":[tensors]}: what the expressions read, known variables and others; all are finite.
[[nodiscard]] Values finite_grounds(const ScalarPlace& place, const std::vector<ExprPtr>& exprs);

/// Why a value is not zero; empty where that is not known. {"why":...} and, by that,
///   domain     {"tensor","domain"}: what the signature says of a known variable
///   values     {"tensor"}: so are all values of a constant
///   computed   {"tensor","definition"}: by the equation at this address
///   exp, root  of any value; of a positive one
///   terms      no term is negative, and one is positive
///   least      {"least"}: a whole number that it does not go below
///   positive, negative
///   condition  it is computed only where it is not zero
[[nodiscard]] Values nonzero_ground(const ScalarPlace& place, const ExprPtr& expr);

/// The same for everything that the expression divides by, each with {"divisor"}: its address, where it has one.
[[nodiscard]] std::vector<Values> divisor_grounds(const ScalarPlace& place, const ExprPtr& expr);

}  // namespace steptp
