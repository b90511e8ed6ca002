#pragma once

// What operations make of facts.

#include "steptp/algebra/facts.h"

namespace steptp::algebra {

[[nodiscard]] Fact rule_number(double value);
[[nodiscard]] Fact rule_negate(const Fact& a);
[[nodiscard]] Fact rule_add(const Fact& a, const Fact& b);
[[nodiscard]] Fact rule_multiply(const Fact& a, const Fact& b);
/// One over a value; nothing is known where it may be zero.
[[nodiscard]] Fact rule_invert(const Fact& a);
[[nodiscard]] Fact rule_natural_power(const Fact& a, int exponent);
[[nodiscard]] Fact rule_real_power(const Fact& base, const Fact& exponent);
[[nodiscard]] Fact rule_extremum(bool is_max, const Fact& a, const Fact& b);
[[nodiscard]] Fact rule_call(Function function, const Fact& a);

/// Bounds that a rounded computation cannot have made too tight.
[[nodiscard]] double below(double bound);
[[nodiscard]] double above(double bound);

}  // namespace steptp::algebra
