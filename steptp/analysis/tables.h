#pragma once

#include "steptp/analysis/accesses.h"

namespace steptp {

/// The table with subscripts that are read from tables of indices written out: where a nest writes H_{a,c}=a*45+c for
/// all of its iterations, D_{H_{tx,4}} behind it is D_{tx*45+4}. The reads of the tables themselves stay in the list,
/// and so do those that cannot be written out.
[[nodiscard]] AccessTable with_known_indices(AccessTable table);

}  // namespace steptp
