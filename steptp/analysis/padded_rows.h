#pragma once

#include "steptp/analysis/accesses.h"

namespace steptp {

/// The table with two subscripts for tensors in `s` and `l` whose only subscript counts rows of one length: where all
/// accesses are E_{a*132+c} with c below 132, they are E_{a,c}. Each element is the same element as before, and what is
/// left unused behind a row can be told from what is missing.
[[nodiscard]] AccessTable with_rows(AccessTable table);

}  // namespace steptp
