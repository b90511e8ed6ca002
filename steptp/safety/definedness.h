#pragma once

#include "steptp/analysis/value_facts.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// Every read of an intermediate or an output sees an element that was written before (an accumulator may be fresh),
/// and every element of every output is written. First by boxes, which settles ordinary programs in microseconds; what
/// boxes cannot show is asked of isl, which is exact for quasi-affine accesses. Ids: `undefined-read`, `not-written`
/// and their `-unknown` forms.
void check_definedness(const AccessTable& table, const ValueFacts& facts, Findings& findings);

}  // namespace steptp
