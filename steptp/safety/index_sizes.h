#pragma once

#include "steptp/analysis/accesses.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// Subscripts, operands of guards and conditions on loop indices are exact integers, but whoever evaluates them does so
/// in 64 bits: what could reach 2^62 at some iteration, in any of its parts, is refused. What data holds is left to the
/// bounds of subscripts. Id: `index-size`.
void check_index_sizes(const AccessTable& table, Findings& findings);

}  // namespace steptp
