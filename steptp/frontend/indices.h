#pragma once

#include "steptp/frontend/call_lowering.h"

namespace steptp::frontend {

/// An index tensor whose elements count from the front. Where the graph does not say that none is negative, a nest
/// takes the remainder by the extent: PyTorch allows -n to n-1, and there it is the same as adding n to negative ones.
[[nodiscard]] Tensor plain_index(const CallLowering& call, const graph::Value& index, std::int64_t extent);

}  // namespace steptp::frontend
