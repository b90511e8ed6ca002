#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "steptp/graph/graph.h"
#include "steptp/ir/names.h"

namespace steptp::frontend {

/// Which tensors a call really reads: not those of which only the shape or the dtype matters, nor statistics that
/// batch norm does not use while it trains.
[[nodiscard]] std::vector<graph::Value> read_operands(const graph::Graph& graph, const graph::Node& node);

/// How many names a call takes before its results: a tuple has one of its own, and batch norm in train mode names the
/// mean and the variance.
[[nodiscard]] std::size_t leading_names(const graph::Graph& graph, const graph::Node& node);

/// The names of a program, by the published rule (docs/frontend.md): inputs; one per node in order; outputs; constants
/// in the order of their first use; parameters in the order of the graph. Temporaries take the names that follow.
struct Naming {
  /// Of every output of every node that has a name, by (node, output).
  std::map<std::pair<std::int32_t, std::int32_t>, std::string> values;
  /// The names before the results, by node.
  std::map<std::int32_t, std::vector<std::string>> leading;
  /// One per output of the graph; where the value has no name of its own to give, a copy is made.
  std::vector<std::string> outputs;

  struct Known {
    std::int32_t node = 0;
    Role role = Role::constant;
    std::string name;
    bool is_shadow = false;  ///< listed, and not read
  };
  std::vector<Known> constants;
  std::vector<Known> parameters;
  std::vector<bool> live;  ///< nodes whose values reach an output
};

[[nodiscard]] Naming make_names(const graph::Graph& graph, NameSource& source);

}  // namespace steptp::frontend
