#pragma once

#include <optional>
#include <vector>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Values that are NaN where a row is masked as a whole, taken apart into where that is and a rest of numbers.
class Masks : private Room {
 public:
  explicit Masks(Arena& arena) : Room(arena) {}

  [[nodiscard]] PolynomialId nan();
  [[nodiscard]] PolynomialId veil(const Veiled& veiled) { return select(veiled.where, nan(), veiled.value); }
  [[nodiscard]] std::optional<Veiled> as_veiled(PolynomialId id);
  /// The value where it is a number, and 0 elsewhere.
  [[nodiscard]] PolynomialId number_part(PolynomialId id);
  /// The value where it is positive, and 1 elsewhere.
  [[nodiscard]] PolynomialId positive_part(PolynomialId id);
  [[nodiscard]] ConditionId is_minus_infinity(PolynomialId id);
  /// What the value is where the condition holds.
  [[nodiscard]] PolynomialId where(ConditionId condition, PolynomialId id);
  [[nodiscard]] PolynomialId inverse_where(const std::vector<ConditionId>& known, PolynomialId id);
  [[nodiscard]] std::optional<PolynomialId> nothing_by_nothing(const Monomial& product);

  // ---- exponentials of what may be -inf (masked_exponentials.cpp)
  [[nodiscard]] std::optional<PolynomialId> exp_of_masked(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> exp_of_difference(PolynomialId argument);
  [[nodiscard]] std::optional<PolynomialId> exp_below_maximum(PolynomialId argument);
  [[nodiscard]] std::optional<ConditionId> vanishes_where(PolynomialId id);

 private:
  [[nodiscard]] PolynomialId where(const std::vector<ConditionId>& known, PolynomialId id);
  [[nodiscard]] PolynomialId factor_where(const std::vector<ConditionId>& known, GeneratorId factor);
  /// Of exp(x): x. Of what is exp(x) or zero, as conditions decide: x or -inf.
  [[nodiscard]] std::optional<PolynomialId> argument_of_exponential(PolynomialId id);
};

}  // namespace steptp::forms
