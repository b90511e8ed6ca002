#pragma once

#include "steptp/graph/graph.h"

namespace steptp::graph {

/// States the domains of inputs that PyTorch gives, where nobody has. Indices: PyTorch raises an error for other
/// values, so that no program that is compared with this one need care about them. Floats that attention adds to its
/// scores as a mask may be -inf: the argument `attn_mask`, and inputs called a mask that are added to what a softmax
/// takes. Copies and views of an input count as the input.
void state_index_domains(Graph& graph);

}  // namespace steptp::graph
