#pragma once

#include "steptp/frontend/step.h"

namespace steptp::frontend {

/// An index tensor whose elements count from the front. Where the graph does not say that none is negative, a nest
/// takes the remainder by the extent: PyTorch allows -n to n-1, and there it is the same as adding n to negative ones.
[[nodiscard]] Tensor plain_index(const Step& step, const graph::Value& index, std::int64_t extent);

}  // namespace steptp::frontend
