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

namespace {

/// Gives names in the published order; each function is one part of it.
class Namer {
 public:
  Namer(const Graph& graph, NameSource& source) : graph_(graph), source_(source) {
    out_.live = live_nodes(graph);
    for (const graph::Value& output : graph.outputs) outputs_.insert(key(output));
    note_uses();
  }

  Naming make() {
    name_inputs();
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      if (graph_.nodes[at].kind == NodeKind::call) name_results(static_cast<std::int32_t>(at));
    }
    name_outputs();
    name_constants();
    name_parameters();
    for (const Key& which : late_) out_.values[which] = source_.next();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Node& node(std::int32_t number) const { return graph_.nodes[static_cast<std::size_t>(number)]; }

  /// Which values somebody uses, and in which order the living calls first read the nodes.
  void note_uses() {
    std::set<std::int32_t> met;
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      const Node& call = graph_.nodes[at];
      if (call.kind != NodeKind::call) continue;
      for (const graph::Value& operand : graph::operands(call)) used_.insert(key(operand));
      if (!out_.live[at]) continue;
      for (const graph::Value& operand : read_operands(graph_, call)) {
        if (met.insert(operand.node).second) first_uses_.push_back(operand.node);
      }
    }
    for (const graph::Value& output : graph_.outputs) first_uses_.push_back(output.node);
  }

  void name_inputs() {
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      if (graph_.nodes[at].kind == NodeKind::input) out_.values[{static_cast<std::int32_t>(at), 0}] = source_.next();
    }
  }

  void name_results(std::int32_t number) {
    if (is_half_of_batchmean(graph_, number)) {
      late_.push_back({number, 0});
      return;
    }
    const Node& call = node(number);
    for (std::size_t extra = leading_names(graph_, call); extra > 0; --extra) {
      out_.leading[number].push_back(source_.next());
    }
    const bool is_single = call.outputs.size() == 1 && !call.op->schema.returns_list;
    for (std::int32_t output = 0; output < static_cast<std::int32_t>(call.outputs.size()); ++output) {
      const Key which{number, output};
      if (!outputs_.contains(which) && (is_single || used_.contains(which))) out_.values[which] = source_.next();
    }
  }

  void name_outputs() {
    for (const graph::Value& output : graph_.outputs) {
      out_.outputs.push_back(source_.next());
      if (graph_.node(output).kind == NodeKind::call) out_.values.emplace(key(output), out_.outputs.back());
    }
  }

  /// Constants, and parameters that are listed among them (FreeUse).
  void name_constants() {
    std::set<std::int32_t> shadowed;
    const std::vector<FreeUse> uses = uses_of(graph_, out_.live);
    for (const std::int32_t number : first_uses_) {
      const bool is_parameter = node(number).kind == NodeKind::parameter;
      if (node(number).kind != NodeKind::constant && !is_parameter) continue;
      if (out_.values.contains({number, 0}) || shadowed.contains(number)) continue;
      const FreeUse use = is_parameter ? uses[static_cast<std::size_t>(number)] : FreeUse();
      const bool is_only_viewed = use.viewed && !use.elementwise && !use.otherwise;
      if (is_parameter && !use.elementwise && !is_only_viewed) continue;
      const bool is_shadow = is_parameter && !is_only_viewed;
      out_.constants.push_back({number, Role::constant, source_.next(), is_shadow});
      if (is_shadow) {
        shadowed.insert(number);
      } else {
        out_.values[{number, 0}] = out_.constants.back().name;
      }
    }
  }

  void name_parameters() {
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      const Key which{static_cast<std::int32_t>(at), 0};
      if (graph_.nodes[at].kind != NodeKind::parameter || !out_.live[at] || out_.values.contains(which)) continue;
      out_.parameters.push_back({which.first, Role::param, source_.next(), false});
      out_.values[which] = out_.parameters.back().name;
    }
  }

  const Graph& graph_;
  NameSource& source_;
  Naming out_;
  std::set<Key> outputs_;
  std::set<Key> used_;
  std::vector<std::int32_t> first_uses_;  ///< nodes that something reads, each once, and the outputs behind them
  std::vector<Key> late_;                 ///< named after all others
};

}  // namespace

Naming make_names(const Graph& graph, NameSource& source) { return Namer(graph, source).make(); }

}  // namespace steptp::frontend
