#pragma once

#include "steptp/graph/graph.h"

namespace steptp::zoo {

/// Whether some output is the same whatever the inputs are, as far as the graph shows it: softmax summed or averaged
/// over its own dimension, softmax or a norm over a single element, the mean of what a norm without affine parameters
/// has centred, a value minus its own mean over one element, x - x. Marked, not removed: the published types have some.
[[nodiscard]] bool is_degenerate(const graph::Graph& graph);

}  // namespace steptp::zoo
