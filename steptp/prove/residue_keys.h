#pragma once

#include <cstdint>

#include "steptp/base/hash.h"

namespace steptp::forms {

/// What tells the kinds of unknowns apart.
enum class ResidueKey : std::uint64_t {
  variable = 1,
  quotient,
  wrapped,
  input,
  definition,
  infinity,
  inverse,
  call,
  extremum,
  select,
  fold,
  conversion,
  power,
  operation,
  recurrence,
  self,
  tamed,
  bound,
  equality,
  below,
  comparison,
  wild,
};

[[nodiscard]] inline std::uint64_t start(ResidueKey key, std::uint64_t tag = 0) {
  return combine(static_cast<std::uint64_t>(key), tag);
}

}  // namespace steptp::forms
