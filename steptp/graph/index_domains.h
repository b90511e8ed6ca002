#pragma once

#include "steptp/graph/graph.h"

namespace steptp::graph {

/// States the domains of inputs that are indices, where nobody has: PyTorch raises an error for other values, so that
/// no program that is compared with this one need care about them. Copies and views of an input count as the input.
void state_index_domains(Graph& graph);

}  // namespace steptp::graph
