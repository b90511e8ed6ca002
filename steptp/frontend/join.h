#pragma once

#include "steptp/ir/program.h"

namespace steptp::frontend {

/// Both nests as one with the same loops, so that each iteration runs the equations of the first and then those of the
/// second; null where that is not known to be the same: other loops, or an element of the first that the second touches
/// in another iteration or before it is complete.
[[nodiscard]] NestPtr join_nests(const Nest& first, const Nest& second);

}  // namespace steptp::frontend
