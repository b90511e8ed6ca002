#pragma once

#include "steptp/analysis/value_facts.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// No two iterations of a P or V loop, no two threads of a block without a barrier between, and no two blocks of a
/// launch touch one element that one of them writes; the exceptions are parallel reductions, collectives and writes
/// that are the same in every iteration (docs/language.md R10). Ids: `race`, `race-unknown`, `divergent-barrier`,
/// `redundant-write`.
void check_races(const AccessTable& table, const ValueFacts& facts, Findings& findings);

}  // namespace steptp
