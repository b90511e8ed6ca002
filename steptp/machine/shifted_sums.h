#pragma once

#include <cstdint>

#include "steptp/machine/code.h"

namespace steptp::certify {

/// Whether a node of a statement is exp(x-M) where M is a maximum that took x in, at every iteration: such a value is
/// at most 1, or NaN where x and M are both infinite. This is how a softmax is written.
[[nodiscard]] bool is_below_its_maximum(const Code& code, std::uint32_t statement, std::uint32_t node);

/// Whether a statement sums exp(x-M) over exactly what M is the maximum of: then one summand is exp(0), or some are
/// NaN.
[[nodiscard]] bool holds_its_maximum(const Code& code, std::uint32_t statement);

}  // namespace steptp::certify
