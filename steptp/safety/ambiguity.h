#pragma once

#include "steptp/analysis/value_facts.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// A tensor in `s` or `l` that several kernels touch is treated as `g`. Each of its reads has to see there what it
/// would see in its own scope, as far as that holds anything: the last write before it, in `g`, is not by another
/// thread or block of the same launch, and an accumulator that would start afresh does not find a value
/// (docs/language.md R6). Ids: `scope-ambiguous`, `scope-ambiguous-unknown`.
void check_ambiguity(const AccessTable& table, const ValueFacts& facts, Findings& findings);

}  // namespace steptp
