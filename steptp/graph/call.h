#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/graph/graph.h"

namespace steptp::graph {

/// Thrown while a node is made when its arguments do not fit; Builder::add turns it into an ordinary error.
struct Misuse {
  std::string message;
};

/// The arguments of a call by name, in the types that the schema promises.
class Call {
 public:
  Call(const Graph& graph, const Operator& op, const std::vector<Argument>& arguments)
      : graph_(graph), op_(op), arguments_(arguments) {}
  Call(const Graph& graph, const Node& node) : Call(graph, *node.op, node.arguments) {}

  [[nodiscard]] const Argument& argument(std::string_view name) const;
  /// False for None.
  [[nodiscard]] bool has(std::string_view name) const { return !is_none(argument(name)); }
  /// True where a tensor stands there, and not a number.
  [[nodiscard]] bool is_tensor(std::string_view name) const;

  [[nodiscard]] Value value(std::string_view name) const;
  [[nodiscard]] const TensorType& tensor(std::string_view name) const { return graph_.type(value(name)); }
  [[nodiscard]] const Shape& shape(std::string_view name) const { return tensor(name).shape; }
  [[nodiscard]] DType dtype_of(std::string_view name) const { return tensor(name).dtype; }
  [[nodiscard]] const std::vector<Value>& values(std::string_view name) const;
  [[nodiscard]] const TensorType& type(const Value& value) const { return graph_.type(value); }

  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] const std::vector<std::int64_t>& integers(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;  ///< any number
  [[nodiscard]] std::string_view text(std::string_view name) const;
  [[nodiscard]] DType dtype(std::string_view name, DType otherwise) const;

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Operator& op() const { return op_; }
  [[noreturn]] void fail(std::string message) const;

 private:
  const Graph& graph_;
  const Operator& op_;
  const std::vector<Argument>& arguments_;
};

/// A dimension counted from the end made plain; Misuse where there is none. A scalar has one dimension to name.
[[nodiscard]] std::size_t plain_dimension(const Call& call, std::int64_t dim, std::size_t rank);

/// A list of dimensions made plain and marked: true where the dimension is meant. Empty or None: all of them.
[[nodiscard]] std::vector<bool> marked_dimensions(const Call& call, std::string_view name, std::size_t rank);

/// The shape both broadcast to.
[[nodiscard]] Shape broadcast(const Call& call, const Shape& left, const Shape& right);

/// The dtype of an operation on the named arguments, by PyTorch's rules: tensors with dimensions count first, then
/// tensors without, then numbers; a later group matters only where its category is higher.
[[nodiscard]] DType result_dtype(const Call& call, const std::vector<std::string_view>& names);
/// The dtype of functions that give floats: integers and bools become f32.
[[nodiscard]] DType float_dtype(DType dtype);

}  // namespace steptp::graph
