#pragma once

#include "steptp/lowering/arrangement.h"

namespace steptp::tir {

/// Whether `s` or `l` data that nothing initialises may live from round to round of a loop that is around all its
/// accesses. TVM allocates such a buffer inside that loop, where each round finds nothing of the one before. Unknown
/// counts as yes.
[[nodiscard]] bool may_live_on(const lowering::Arrangement& arrangement, const lowering::Buffer& buffer);

}  // namespace steptp::tir
