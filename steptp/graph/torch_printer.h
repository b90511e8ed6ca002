#pragma once

#include <string>

#include "steptp/graph/graph.h"

namespace steptp::graph {

/// A self-contained PyTorch file in the style of KernelBench: `Model` with its parameters and buffers, `get_inputs` and
/// `get_init_inputs`. Parameters are declared in the order of the graph.
[[nodiscard]] std::string print_torch(const Graph& graph);

}  // namespace steptp::graph
