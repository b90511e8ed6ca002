#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/graph/call.h"
#include "steptp/graph/graph.h"

namespace steptp::graph {

using NamedArguments = std::vector<std::pair<std::string, Argument>>;

/// Makes a graph node by node. Names that are taken get a number, so that no caller has to think of unique ones.
class Builder {
 public:
  explicit Builder(std::string name) { graph_.name = std::move(name); }

  Value input(std::string name, DType dtype, Shape shape, Domain domain = {});
  Value parameter(std::string path, DType dtype, Shape shape);
  Value constant(std::string path, DType dtype, Shape shape, TensorValue value);
  /// A node that is no call, as a reader of files has it.
  Value leaf(Node node);

  /// A call, by the names of the parameters; what is left out has its default. The error says what does not fit, and
  /// nothing has been added then. `name` may be empty. One value per output.
  Result<std::vector<Value>, std::string> add(std::string_view op, const NamedArguments& arguments,
                                              std::string name = {}, Place place = {});

  /// The same for code of our own: arguments in the order of the schema, the first output; throws Misuse.
  Value call(std::string_view op, std::vector<Argument> arguments);
  std::vector<Value> call_all(std::string_view op, std::vector<Argument> arguments);

  /// How the call that made a value is written down.
  void set_writing(const Value& value, Writing writing) {
    graph_.nodes.at(static_cast<std::size_t>(value.node)).writing = writing;
  }

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const TensorType& type(const Value& value) const { return graph_.type(value); }
  [[nodiscard]] const Shape& shape(const Value& value) const { return graph_.type(value).shape; }
  [[nodiscard]] Graph finish(std::vector<Value> outputs) &&;

 private:
  std::string unique(std::string name);
  Value push(Node node);
  std::vector<Value> push_call(const Operator& op, std::vector<Argument> arguments, std::string name, Place place);

  Graph graph_;
  std::map<std::string, int, std::less<>> names_;
};

/// A name as Python allows it: other characters become '_'.
[[nodiscard]] std::string identifier(std::string_view text);

}  // namespace steptp::graph
