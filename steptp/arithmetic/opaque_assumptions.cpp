#include "steptp/arithmetic/opaque_assumptions.h"

namespace steptp::certify {

OpaqueDecision decided(const TwinField& field, bool holds) {
  OpaqueDecision made;
  made.state = holds ? OpaqueDecision::State::holds : OpaqueDecision::State::fails;
  if (holds) made.number = field.one();
  return made;
}

bool OpaqueAssumptions::is_surely(const OpaqueValue& a, bool positive, bool nonzero) const {
  const bool by_range = a.range.is_positive() || (!positive && a.range.is_negative());
  if (by_range) return true;
  bool is_above = a.range.low >= 0 || !positive;
  bool is_apart = a.is_nonzero || !nonzero;
  for (const auto& [decision, holds] : list_) {
    const bool as_written = decision.is_negated != holds;
    if (decision.form == OpaqueDecision::Form::above && as_written) {
      if (decision.difference == a.number) return true;
      if (!positive && decision.difference == space_.field.negate(a.number)) return true;
    }
    if (decision.form == OpaqueDecision::Form::above && !as_written &&
        decision.difference == space_.field.negate(a.number)) {
      is_above = true;
    }
    if (decision.form == OpaqueDecision::Form::zero && !as_written) {
      if (decision.difference == a.number || decision.difference == space_.field.negate(a.number)) is_apart = true;
    }
  }
  return is_above && is_apart;
}

OpaqueDecision OpaqueAssumptions::known(OpaqueDecision made) const {
  for (const auto& [assumed, holds] : list_) {
    const bool is_same = assumed.number == made.number;
    if (!is_same && assumed.number != space_.field.subtract(space_.field.one(), made.number)) continue;
    OpaqueDecision out = decided(space_.field, is_same == holds);
    out.hazards = made.hazards;
    return out;
  }
  return made;
}

}  // namespace steptp::certify
