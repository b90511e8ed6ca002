#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/graph/argument.h"
#include "steptp/graph/types.h"
#include "steptp/ir/signature.h"

namespace steptp::graph {

struct Operator;

enum class NodeKind : std::uint8_t { input, parameter, constant, call };

/// How a call is written down as LEIR. Whoever fuses by hand writes a chain of operators as one expression, or two
/// operators over the same loops as one kernel; PyTorch shows neither.
enum class Writing : std::uint8_t {
  alone,    ///< in nests of its own
  inlined,  ///< inside the expressions that read it; it has no tensor
  joined,   ///< in one nest with the call after it
};
[[nodiscard]] std::string_view name_of(Writing writing);

/// Where a node comes from in the user's program; for messages only, never exported.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  bool operator==(const Place&) const = default;
};

/// One node. Nothing is changed once it stands in a graph: the graph is functional, in-place operators have been
/// replaced by whoever built it.
struct Node {
  NodeKind kind = NodeKind::call;
  std::string name;  ///< unique in the graph; an identifier of Python
  std::vector<TensorType> outputs;
  Place place;

  /// Parameters and constants: where the module holds it ("layers.0.weight"). Inputs: empty.
  std::string path;
  /// Inputs: which values are allowed.
  Domain domain;
  /// Constants: the values. Inputs: the values of an example, where they matter. Parameters: none.
  std::optional<TensorValue> value;

  /// Calls: the operator with one argument for each of its parameters, defaults filled in.
  const Operator* op = nullptr;
  std::vector<Argument> arguments;
  Writing writing = Writing::alone;
};

/// An operator graph at the level of ATen. Nodes stand in an order in which they can be computed.
struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Value> outputs;

  [[nodiscard]] const Node& node(const Value& value) const { return nodes.at(static_cast<std::size_t>(value.node)); }
  [[nodiscard]] const TensorType& type(const Value& value) const {
    return node(value).outputs.at(static_cast<std::size_t>(value.output));
  }
};

/// The tensors a call reads, in the order of its arguments; those that are None are left out.
[[nodiscard]] std::vector<Value> operands(const Node& node);

}  // namespace steptp::graph
