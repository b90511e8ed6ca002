#pragma once

#include <vector>

#include "testing/lowering_support.h"

namespace steptp::testing {

/// Small programs with matrix nests, one for each way in which a back end has to write them.
[[nodiscard]] std::vector<Judged> matrix_programs();

}  // namespace steptp::testing
