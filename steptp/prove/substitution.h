#pragma once

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Forms with other things in place of variables: what comes out is in normal form again.
class Substitutions : private Room {
 public:
  explicit Substitutions(Arena& arena) : Room(arena) {}

  [[nodiscard]] Affine affine(const Affine& affine, const Substitution& map);
  [[nodiscard]] ConditionId condition(ConditionId id, const Substitution& map);
  [[nodiscard]] PolynomialId polynomial(PolynomialId id, const Substitution& map);
};

}  // namespace steptp::forms
