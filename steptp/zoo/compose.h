#pragma once

#include <string>

#include "steptp/base/hash.h"
#include "steptp/base/random.h"
#include "steptp/zoo/types.h"

namespace steptp::zoo {

/// A random program of 2 to 5 components with fitting shapes. First the structure is drawn, uniformly over the lists of
/// kinds of components that can follow each other, then shapes and numbers: a structure is not likelier because more
/// shapes fit it. The diagnostic says that the draw did not come out (another one will).
[[nodiscard]] Result<graph::Graph, Diagnostic> compose(Random& random, DType dtype);

/// Equal for graphs that are the same up to the names of nodes: operators, arguments, types and who reads whom.
[[nodiscard]] Hash structure_hash(const graph::Graph& graph);

}  // namespace steptp::zoo
