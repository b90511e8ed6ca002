#pragma once

#include "steptp/analysis/value_facts.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// Every subscript of a known variable lies in its dimension, and no write has a negative subscript. (Reads of
/// intermediates are a matter of definedness.) Ids: `out-of-range`,
/// `out-of-range-unknown`.
void check_bounds(const AccessTable& table, const ValueFacts& facts, Findings& findings);

}  // namespace steptp
