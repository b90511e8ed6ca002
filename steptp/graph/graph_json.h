#pragma once

#include <string>
#include <string_view>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/graph/graph.h"

namespace steptp::graph {

/// A graph as JSON (docs/frontend.md describes it). Arguments that have their default are left out, and so are the
/// places in the user's source.
[[nodiscard]] Json to_json(const Graph& graph);

/// Reads it back. The reader is strict: an unknown key, a name used twice or before it is defined, an argument that
/// does not fit and a stated type that differs from the inferred one are errors. Diagnostic ids: `graph`, and
/// `graph-operator` where an operator is not supported.
[[nodiscard]] Result<Graph, Diagnostic> graph_from_json(const Json& json);
[[nodiscard]] Result<Graph, Diagnostic> parse_graph(std::string_view text);

}  // namespace steptp::graph
