#pragma once

#include <cstdint>

#include "steptp/arithmetic/extremum_sets.h"
#include "steptp/arithmetic/opaque_assumptions.h"
#include "steptp/arithmetic/opaque_reals.h"
#include "steptp/arithmetic/opaque_space.h"
#include "steptp/arithmetic/opaque_value.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// Conditions on reals that are not decided, and what depends on them: choices, maxima, minima.
class OpaqueOrder {
 public:
  using Value = OpaqueValue;
  using Decision = OpaqueDecision;

  OpaqueOrder(OpaqueSpace& space, const OpaqueAssumptions& assumptions, OpaqueReals& reals)
      : space_(space), assumptions_(assumptions), reals_(reals) {}

  [[nodiscard]] Decision decide(CompareOp op, const Value& a, const Value& b);
  [[nodiscard]] Decision negation(Decision a) const;
  [[nodiscard]] Decision both(LogicOp op, const Decision& a, const Decision& b);
  [[nodiscard]] Decision chosen(const Decision& condition, const Decision& a, const Decision& b);
  /// `a` where the condition holds, else `b`.
  void choose(Value& out, const Decision& condition, const Value& a, const Value& b);

  /// A number is carried into a minimum where the maximum distributes, so that clamps have one form.
  void greatest(Value& out, const Value& a, const Value& b, bool distributes = true);
  void least(Value& out, const Value& a, const Value& b);
  void absolute(Value& out, const Value& a);

 private:
  [[nodiscard]] Decision decide_with_holes(CompareOp op, const Value& a, const Value& b);
  [[nodiscard]] Decision above_zero(Twin d);
  [[nodiscard]] Decision at_zero(Twin d);
  /// A number that has the sign of a - b, at every input.
  [[nodiscard]] Twin sign_of_difference(const Value& a, const Value& b);
  /// The same where `a` is the greatest of some and `b` is a number: members that are less play no part.
  [[nodiscard]] bool sign_of_greatest(const Value& a, const Value& b, Twin& sign);
  /// d where d > 0 and 0 elsewhere; the other number has the sign of d.
  [[nodiscard]] Twin ramp(Twin d, Twin sign);
  /// The hazards of an arm, which are there only where the condition has this outcome.
  [[nodiscard]] std::uint32_t hazards_under(const Decision& condition, bool outcome, std::uint32_t hazards);
  void greatest_from_infinity(Value& out, const Value& infinity, const Value& other);
  void greatest_of_least(Value& out, const Value& number, const Value& least);
  [[nodiscard]] std::uint32_t set_of(const Value& a);
  [[nodiscard]] ExtremumSets::Member member_of(const Value& a) const;
  [[nodiscard]] static Value value_of(const ExtremumSets::Member& member);

  OpaqueSpace& space_;
  const OpaqueAssumptions& assumptions_;
  OpaqueReals& reals_;
};

}  // namespace steptp::certify
