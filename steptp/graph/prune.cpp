#include "steptp/graph/prune.h"

namespace steptp::graph {

Graph prune(Graph graph) {
  const std::size_t size = graph.nodes.size();
  std::vector<bool> live(size, false);
  for (const Value& output : graph.outputs) live[static_cast<std::size_t>(output.node)] = true;
  for (std::size_t at = size; at-- > 0;) {
    if (graph.nodes[at].kind != NodeKind::call) live[at] = true;
    if (!live[at]) continue;
    for (const Value& operand : operands(graph.nodes[at])) live[static_cast<std::size_t>(operand.node)] = true;
  }
  std::vector<std::int32_t> moved(size, -1);
  const auto move = [&](Value& value) {
    if (value.node >= 0) value.node = moved[static_cast<std::size_t>(value.node)];
  };
  std::vector<Node> kept;
  for (std::size_t at = 0; at < size; ++at) {
    if (!live[at]) continue;
    moved[at] = static_cast<std::int32_t>(kept.size());
    Node& node = kept.emplace_back(std::move(graph.nodes[at]));
    for (Argument& argument : node.arguments) {
      if (Value* value = std::get_if<Value>(&argument)) move(*value);
      if (auto* list = std::get_if<std::vector<Value>>(&argument)) {
        for (Value& value : *list) move(value);
      }
    }
  }
  for (Value& output : graph.outputs) move(output);
  graph.nodes = std::move(kept);
  return graph;
}

}  // namespace steptp::graph
