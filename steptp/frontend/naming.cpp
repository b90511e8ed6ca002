#include "steptp/frontend/naming.h"

#include <algorithm>
#include <array>
#include <set>

#include "steptp/graph/call.h"
#include "steptp/graph/operator.h"

namespace steptp::frontend {

namespace {

using graph::Graph;
using graph::Node;
using graph::NodeKind;
using Key = std::pair<std::int32_t, std::int32_t>;

constexpr std::array<std::string_view, 3> kShapesOfOther = {"aten.expand_as.default", "aten.view_as.default",
                                                            "aten.type_as.default"};

bool is_training_norm(const Graph& graph, const Node& node) {
  const std::string& name = node.op->schema.name;
  if (name == "aten._native_batch_norm_legit.no_stats") return true;
  if (name != "aten.batch_norm.default" && name != "aten._native_batch_norm_legit_functional.default") return false;
  return graph::Call(graph, node).flag("training");
}

/// Operators whose further outputs exist for the backward pass: the first result stands alone.
bool has_secondary_outputs(const Node& node) {
  const std::string& name = node.op->schema.name;
  return name.starts_with("aten._native_batch_norm") || name.starts_with("aten.native_") ||
         name.find("_with_indices") != std::string::npos || name.starts_with("aten.adaptive_max_pool");
}

Key key(const graph::Value& value) { return {value.node, value.output}; }

std::vector<bool> live_nodes(const Graph& graph) {
  std::vector<bool> live(graph.nodes.size(), false);
  for (const graph::Value& output : graph.outputs) live[static_cast<std::size_t>(output.node)] = true;
  for (std::size_t at = graph.nodes.size(); at-- > 0;) {
    if (!live[at] || graph.nodes[at].kind != NodeKind::call) continue;
    for (const graph::Value& operand : read_operands(graph, graph.nodes[at]))
      live[static_cast<std::size_t>(operand.node)] = true;
  }
  return live;
}

/// How a parameter that no layer owns is used: published programs list one that meets an elementwise operator among
/// the constants too, and one that is only viewed among the constants alone.
struct FreeUse {
  bool elementwise = false;
  bool viewed = false;
  bool otherwise = false;
};

bool is_layer_slot(std::string_view parameter) {
  return parameter == "weight" || parameter == "bias" || parameter == "params" || parameter.starts_with("running_");
}

/// Of every node, how the nodes that are lowered use it.
std::vector<FreeUse> uses_of(const Graph& graph, const std::vector<bool>& live) {
  std::vector<FreeUse> uses(graph.nodes.size());
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    const Node& node = graph.nodes[at];
    if (node.kind != NodeKind::call || !live[at]) continue;
    for (std::size_t place = 0; place < node.arguments.size(); ++place) {
      const auto note = [&](const graph::Value& value) {
        if (value.node < 0) return;
        FreeUse& use = uses[static_cast<std::size_t>(value.node)];
        const bool layer = is_layer_slot(node.op->schema.parameters[place].name);
        const bool elementwise = !layer && node.op->family == "pointwise";
        const bool viewed = !layer && node.op->family == "views";
        use.elementwise = use.elementwise || elementwise;
        use.viewed = use.viewed || viewed;
        use.otherwise = use.otherwise || !(elementwise || viewed);
      };
      if (const auto* one = std::get_if<graph::Value>(&node.arguments[place])) note(*one);
      if (const auto* many = std::get_if<std::vector<graph::Value>>(&node.arguments[place]))
        std::for_each(many->begin(), many->end(), note);
    }
  }
  return uses;
}

/// The reduction "batchmean" of kl_div is a sum and a quotient in ATen, and one operator to users and in published
/// programs: the sum is a temporary.
bool is_half_of_batchmean(const Graph& graph, std::int32_t number) {
  const Node& node = graph.nodes[static_cast<std::size_t>(number)];
  if (node.op->schema.name != "aten.kl_div.default" || graph::Call(graph, node).integer("reduction") != 2) return false;
  for (const graph::Value& output : graph.outputs) {
    if (output.node == number) return false;
  }
  int quotients = 0;
  for (const Node& user : graph.nodes) {
    if (user.kind != NodeKind::call) continue;
    for (const graph::Value& operand : graph::operands(user)) {
      if (operand.node != number) continue;
      if (user.op->schema.name != "aten.div.Tensor" || graph::operands(user).size() != 1) return false;
      ++quotients;
    }
  }
  return quotients == 1;
}

}  // namespace

std::vector<graph::Value> read_operands(const Graph& graph, const Node& node) {
  if (node.op->family == "creation") return {};
  std::vector<graph::Value> out = graph::operands(node);
  const graph::Call call(graph, node);
  const auto drop = [&](std::string_view name) {
    if (!call.is_tensor(name)) return;
    const auto found = std::find(out.begin(), out.end(), call.value(name));
    if (found != out.end()) out.erase(found);
  };
  const std::string& name = node.op->schema.name;
  if (std::find(kShapesOfOther.begin(), kShapesOfOther.end(), name) != kShapesOfOther.end()) drop("other");
  if (name == "aten.instance_norm.default" || (is_training_norm(graph, node) && node.op->schema.find("running_mean"))) {
    drop("running_mean");
    drop("running_var");
  }
  return out;
}

std::size_t leading_names(const Graph& graph, const Node& node) {
  if (is_training_norm(graph, node)) return 2;
  const bool tuple = node.outputs.size() > 1 || node.op->schema.returns_list;
  return tuple && !has_secondary_outputs(node) ? 1 : 0;
}

Naming make_names(const Graph& graph, NameSource& source) {
  Naming out;
  std::vector<Key> late;
  out.live = live_nodes(graph);
  const std::set<Key> outputs = [&] {
    std::set<Key> keys;
    for (const graph::Value& output : graph.outputs) keys.insert(key(output));
    return keys;
  }();
  std::set<Key> used;
  std::vector<std::int32_t> first_uses;
  std::set<std::int32_t> met;
  for (const Node& node : graph.nodes) {
    if (node.kind != NodeKind::call) continue;
    const bool live = out.live[static_cast<std::size_t>(&node - graph.nodes.data())];
    for (const graph::Value& operand : graph::operands(node)) used.insert(key(operand));
    if (!live) continue;
    for (const graph::Value& operand : read_operands(graph, node)) {
      if (met.insert(operand.node).second) first_uses.push_back(operand.node);
    }
  }
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    if (graph.nodes[at].kind == NodeKind::input) out.values[{static_cast<std::int32_t>(at), 0}] = source.next();
  }
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    const Node& node = graph.nodes[at];
    if (node.kind != NodeKind::call) continue;
    const std::int32_t number = static_cast<std::int32_t>(at);
    if (is_half_of_batchmean(graph, number)) {
      late.push_back({number, 0});
      continue;
    }
    for (std::size_t extra = leading_names(graph, node); extra > 0; --extra)
      out.leading[number].push_back(source.next());
    for (std::int32_t output = 0; output < static_cast<std::int32_t>(node.outputs.size()); ++output) {
      const Key which{number, output};
      const bool single = node.outputs.size() == 1 && !node.op->schema.returns_list;
      if (!outputs.contains(which) && (single || used.contains(which))) out.values[which] = source.next();
    }
  }
  for (const graph::Value& output : graph.outputs) {
    out.outputs.push_back(source.next());
    if (graph.node(output).kind == NodeKind::call) out.values.emplace(key(output), out.outputs.back());
  }
  for (const graph::Value& output : graph.outputs) first_uses.push_back(output.node);
  std::set<std::int32_t> shadowed;
  const std::vector<FreeUse> uses = uses_of(graph, out.live);
  for (const std::int32_t number : first_uses) {
    const NodeKind kind = graph.nodes[static_cast<std::size_t>(number)].kind;
    if (kind != NodeKind::constant && kind != NodeKind::parameter) continue;
    if (out.values.contains({number, 0}) || shadowed.contains(number)) continue;
    const FreeUse use = kind == NodeKind::parameter ? uses[static_cast<std::size_t>(number)] : FreeUse();
    const bool alone = use.viewed && !use.elementwise && !use.otherwise;
    if (kind == NodeKind::parameter && !use.elementwise && !alone) continue;
    const bool shadow = kind == NodeKind::parameter && !alone;
    out.constants.push_back({number, Role::constant, source.next(), shadow});
    if (shadow)
      shadowed.insert(number);
    else
      out.values[{number, 0}] = out.constants.back().name;
  }
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    const Key which{static_cast<std::int32_t>(at), 0};
    if (graph.nodes[at].kind != NodeKind::parameter || !out.live[at] || out.values.contains(which)) continue;
    out.parameters.push_back({which.first, Role::param, source.next(), false});
    out.values[which] = out.parameters.back().name;
  }
  for (const Key& which : late) out.values[which] = source.next();
  return out;
}

}  // namespace steptp::frontend
