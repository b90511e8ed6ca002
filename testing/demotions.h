#pragma once

#include "steptp/base/diagnostic.h"
#include "steptp/ir/program.h"

namespace steptp::testing {

/// The program with every tensor in `g` that the checker reports as demoted: that is how it is treated, so that is what
/// an enumeration of it has to look at.
[[nodiscard]] Program with_demotions(const Program& program, const Diagnostics& diagnostics);

}  // namespace steptp::testing
