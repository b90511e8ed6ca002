#pragma once

#include <cstdint>
#include <functional>
#include <set>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// What occurs inside of a form.
class Occurrences : private Room {
 public:
  explicit Occurrences(Arena& arena) : Room(arena) {}

  /// Calls `visit` for every affine sum inside, also in subscripts of subscripts and in conditions.
  void for_each_affine(PolynomialId id, const std::function<void(const Affine&)>& visit);
  void for_each_affine_of_condition(ConditionId id, const std::function<void(const Affine&)>& visit);
  void for_each_affine_of_affine(const Affine& affine, const std::function<void(const Affine&)>& visit);
  /// The known variables that occur.
  void for_each_input(PolynomialId id, std::set<std::uint32_t>& found);

 private:
  void for_each_affine_of_generator(const Generator& node, const std::function<void(const Affine&)>& visit);
};

}  // namespace steptp::forms
