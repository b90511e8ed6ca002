#pragma once

#include "steptp/lowering/arrangement.h"

namespace steptp::estimation {

/// About how many barriers a block comes to: one before each item that meets shared data which another item has
/// touched since the last one and one of the two writes. Barriers within reductions over threads are not among them.
[[nodiscard]] double barriers_of(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel);

}  // namespace steptp::estimation
