#pragma once

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Which sign a value has, whatever the inputs are, and under what is assumed at the moment.
class Signs : private Room {
 public:
  explicit Signs(Arena& arena) : Room(arena) {}

  [[nodiscard]] Sign sign(PolynomialId id);
  [[nodiscard]] Sign sign_of_generator(GeneratorId id);
  /// Remembers that values are never negative, or positive: a square does not show it once it is multiplied out.
  PolynomialId as_nonnegative(PolynomialId id, bool is_positive = false);
  /// The same of `id`, if it is remembered of `like`.
  PolynomialId as_nonnegative_like(PolynomialId id, PolynomialId like);

 private:
  [[nodiscard]] Sign sign_of_call(const Generator& node);
  [[nodiscard]] Sign sign_of_extremum(const Generator& node);
  [[nodiscard]] Sign sign_of_fold(GeneratorId id);
  [[nodiscard]] Sign sign_of_operation(const Generator& node);
};

}  // namespace steptp::forms
