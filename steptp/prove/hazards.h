#pragma once

#include <vector>

#include "steptp/prove/arena.h"

namespace steptp::forms {

/// No input leaves the element without a value.
inline constexpr PolynomialId kHarmless = 0xffffffffU;

/// Where an element has no value, as a form that is 1 there and 0 elsewhere: a divisor is zero, or data used as a
/// subscript lies outside of the tensor. Kept apart from the value, because the laws of values may cancel a divisor
/// that a program still divides by: `x*y/y` is `x`, but has no value where y is zero. Two programs are equal only if
/// `after` has a hazard at no input at which `before` has none (docs/verification.md, "Definedness").
class Hazards {
 public:
  explicit Hazards(Arena& arena) : arena_(arena) {}

  /// Where a divisor is zero.
  [[nodiscard]] PolynomialId of_divisor(PolynomialId divisor);
  /// Inputs at which a value is NaN for sure; there may be others. Where `before` is NaN nothing is asked of `after`.
  [[nodiscard]] PolynomialId of_nan(PolynomialId value);
  /// Where a condition holds.
  [[nodiscard]] PolynomialId of_condition(ConditionId condition);
  [[nodiscard]] PolynomialId united(PolynomialId left, PolynomialId right);
  /// The one where the condition holds, the other elsewhere.
  [[nodiscard]] PolynomialId chosen(ConditionId condition, PolynomialId if_true, PolynomialId if_false);
  /// At any of the values of the variables at which the condition holds.
  [[nodiscard]] PolynomialId anywhere(const std::vector<VariableId>& variables, ConditionId condition,
                                      PolynomialId hazard);
  /// Whether every input at which `some` strikes is one at which `all` strikes. False where that is not known.
  [[nodiscard]] bool includes(PolynomialId all, PolynomialId some);
  /// Conditions at each of which it strikes; it may strike elsewhere.
  [[nodiscard]] std::vector<ConditionId> conditions_of(PolynomialId hazard);

 private:
  [[nodiscard]] PolynomialId of_factor(GeneratorId factor);
  [[nodiscard]] PolynomialId of_nan_factor(GeneratorId factor);
  [[nodiscard]] std::vector<PolynomialId> parts(PolynomialId hazard);
  /// What is left of a hazard under what is assumed at the moment.
  [[nodiscard]] PolynomialId under_assumptions(PolynomialId hazard);
  [[nodiscard]] bool includes_part(PolynomialId all, PolynomialId part);

  Arena& arena_;
};

}  // namespace steptp::forms
