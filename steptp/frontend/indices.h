#pragma once

#include "steptp/frontend/step.h"

namespace steptp::frontend {

/// An index tensor whose elements count from the front. Where the graph does not say that none is negative, a nest
/// adds the extent to those that are.
[[nodiscard]] Tensor plain_index(const Step& step, const graph::Value& index, std::int64_t extent);

}  // namespace steptp::frontend
