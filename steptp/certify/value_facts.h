#pragma once

#include <cstdint>
#include <vector>

#include "steptp/certify/inputs.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

/// What the values that a statement stores can be, whatever the inputs: a claim holds for all of them. Signs are those
/// of numbers and infinities; a NaN has none.
struct ValueFacts {
  bool is_finite = false;  ///< neither infinite nor NaN
  bool is_nonzero = false;
  bool is_nonnegative = false;
  bool is_never_infinite = false;  ///< finite or NaN
  [[nodiscard]] bool is_positive() const { return is_nonzero && is_nonnegative; }
  bool operator==(const ValueFacts&) const = default;
};

struct StatementFacts {
  ValueFacts value;
  /// Some operation in it, or in what it depends on, may have no value, or none that is finite, although its operands
  /// have: a division by what may be zero, a root of what may be negative, zero times infinity.
  bool is_partial = false;
};

/// Of every statement, in one pass through the text: what is read before it is written (a recurrence) may be anything.
[[nodiscard]] std::vector<StatementFacts> value_facts(const Code& code, const InputModel& model);

}  // namespace steptp::certify
