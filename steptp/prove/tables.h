#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/ir/signature.h"

namespace steptp::forms {

/// A rule that says every entry of a constant whose values are given: one value where a sum of coordinates is at least
/// zero, and another one elsewhere. A causal mask is such a table; so is one that holds a single value.
struct TwoValuedTable {
  double inside = 0;
  double outside = 0;
  std::vector<std::int64_t> coefficients;  ///< of the coordinates: the entry is inside where
  std::int64_t constant = 0;               ///< coefficients * coordinates + constant >= 0
};

/// The rule, if there is one and it was found to hold at every entry. Values are small integers or infinities, which
/// every type holds as they are.
[[nodiscard]] std::optional<TwoValuedTable> two_valued(const Variable& variable);

}  // namespace steptp::forms
