#pragma once

#include "steptp/prove/room.h"

namespace steptp::forms {

/// What is known of a generator besides its content: whether it may be infinite or NaN, and whether it is an integer.
/// The traits of the other nodes are put together of these (store.cpp).
class TraitRules : private Room {
 public:
  explicit TraitRules(Arena& arena) : Room(arena) {}

  /// Whatever is assumed at the moment: traits outlive it.
  [[nodiscard]] Traits traits_of(const Generator& node);
  /// Of a sum with several terms that may be infinite: whether inf - inf is possible.
  [[nodiscard]] bool may_cancel_infinities(PolynomialId sum) const { return !is_below_infinity(sum); }

 private:
  void set_call_traits(const Generator& node, Traits& traits);
  void set_operation_traits(const Generator& node, Traits& traits);
  [[nodiscard]] bool is_natural_power(const Generator& node) const;
};

}  // namespace steptp::forms
