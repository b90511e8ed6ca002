#pragma once

#include "steptp/graph/graph.h"

namespace steptp::graph {

/// The graph without the calls that no output depends on. Inputs, parameters and constants stay.
[[nodiscard]] Graph prune(Graph graph);

}  // namespace steptp::graph
