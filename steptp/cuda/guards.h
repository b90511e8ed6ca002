#pragma once

#include <vector>

#include "steptp/lowering/arrangement.h"

namespace steptp::cuda {

/// The same nodes with each guard outside of the loops of one thread that its condition does not depend on: it is asked
/// once, and what stands inside can move as vectors. A split that leaves a rest puts such guards into loops over lanes.
[[nodiscard]] std::vector<lowering::Node> with_guards_outside(const std::vector<lowering::Node>& nodes);

}  // namespace steptp::cuda
