#pragma once

#include <cstdint>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Integers as sums of multiples of atoms. There are quotients and no remainders, so that digits put together again
/// vanish.
class Affines : private Room {
 public:
  explicit Affines(Arena& arena) : Room(arena) {}

  [[nodiscard]] Affine variable(VariableId id);
  [[nodiscard]] Affine atom(Atom atom);
  [[nodiscard]] Affine product(const Affine& left, const Affine& right);
  [[nodiscard]] Affine quotient(const Affine& dividend, std::int64_t divisor);
  [[nodiscard]] Affine remainder(const Affine& dividend, std::int64_t divisor);
  /// The value in an integer type: itself where it always fits.
  [[nodiscard]] Affine wrapped(const Affine& value, DType dtype);
};

}  // namespace steptp::forms
