#pragma once

#include "steptp/base/random.h"
#include "steptp/import/pt2_archive.h"

namespace steptp::graph {

/// The elements as numbers. Integers beyond 2^53 are rounded.
[[nodiscard]] TensorValue to_value(const StoredTensor& tensor);

/// Numbers for a random tensor, normal or uniform in [0,1): the same on every machine.
[[nodiscard]] StoredTensor draw_values(const TensorType& type, bool normal, Random random);

}  // namespace steptp::graph
