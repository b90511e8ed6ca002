#pragma once

#include <cstdint>

#include "steptp/moves/builder.h"

namespace steptp {

/// Registers have no indices: serial loops of a top-level expression whose index is in a subscript of data in `l` are
/// unrolled, where the device's limit allows that.
void unroll_loops_over_registers(MoveBuilder& builder, std::uint32_t expression);

}  // namespace steptp
