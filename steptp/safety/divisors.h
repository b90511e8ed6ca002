#pragma once

#include "steptp/analysis/value_facts.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// No integer is divided by zero: // and % in equations (where their type is an integer), in guards and in subscripts.
/// A divisor that is a known variable without a domain is assumed not to be zero. Ids: `division-by-zero`,
/// `division-by-zero-unknown`.
void check_divisors(const AccessTable& table, ValueFacts& facts, Findings& findings);

}  // namespace steptp
