#pragma once

// A chain of expressions over the same rows as one kernel for a CPU, with neighbouring elements of a row side by side.

#include <cstdint>

#include "steptp/moves/builder.h"
#include "steptp/moves/row_chain.h"

namespace steptp {

/// The steps that make the chain one kernel; false where a strategy refused one. Each fold keeps so many accumulators,
/// one for each lane, and combines them at the end of a row. `is_wide`: f16 and bf16 are folded in f32.
[[nodiscard]] bool make_lane_kernel(MoveBuilder& builder, const RowChain& chain, std::int64_t lanes, bool is_wide);

}  // namespace steptp
