#pragma once

#include "steptp/analysis/accesses.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// What a depth promises (docs/language.md R21): a serial loop of the kernel is around all accesses to the tensor
/// (`depth-loop`), and every element read in a round of it is written in that round, by equations that do not
/// accumulate (`depth-carried`, `depth-carried-unknown`). The question about rounds is that of definedness, for a
/// tensor that begins anew in every round.
void check_depths(const Program& program, const AccessTable& table, Findings& findings);

}  // namespace steptp
