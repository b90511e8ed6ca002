#pragma once

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/graph/graph.h"
#include "steptp/ir/program.h"

namespace steptp::frontend {

struct LowerOptions {
  /// The values of constants up to this many elements go into the signature.
  std::int64_t most_values = 1024;
};

/// Which tensor of the program a parameter or a constant of the graph became.
struct Origin {
  std::string name;
  std::string path;
};

struct Lowered {
  Program program;
  std::vector<Origin> origins;
};

/// The vanilla LEIR program of a graph (docs/frontend.md). The diagnostic `graph-operator` names an operator or an
/// option of one that has no lowering, with its place in the user's source where that is known.
[[nodiscard]] Result<Lowered, Diagnostic> lower(const graph::Graph& graph, const LowerOptions& options = {});

}  // namespace steptp::frontend
