#pragma once

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Which sign a value has, whatever the inputs are, and under what is assumed at the moment.
class Signs : private Room {
 public:
  explicit Signs(Arena& arena) : Room(arena) {}

  [[nodiscard]] Sign sign(PolynomialId id, Variables variables = Variables::in_range);
  [[nodiscard]] Sign sign_of_generator(GeneratorId id, Variables variables = Variables::in_range);
  /// Remembers that values are never negative, or positive: a square does not show it once it is multiplied out.
  PolynomialId as_nonnegative(PolynomialId id, bool is_positive = false, Variables variables = Variables::anything);
  /// What is remembered of one value holds of the other too.
  PolynomialId as_nonnegative_as(PolynomialId id, PolynomialId known);
  /// Likewise, where the other is an element of it: what is put for a variable may lie beyond its range, so that only
  /// what holds whatever the variables are counts.
  PolynomialId as_nonnegative_element(PolynomialId id, PolynomialId known);

 private:
  [[nodiscard]] Sign sign_of_call(const Generator& node, Variables variables);
  [[nodiscard]] Sign sign_of_extremum(const Generator& node, Variables variables);
  [[nodiscard]] Sign sign_of_fold(GeneratorId id, Variables variables);
  [[nodiscard]] Sign sign_of_operation(const Generator& node);
};

}  // namespace steptp::forms
