#include "steptp/zoo/degenerate.h"

#include <algorithm>
#include <vector>

#include "steptp/graph/call.h"
#include "steptp/graph/operator.h"

namespace steptp::zoo {

namespace {

using graph::Call;
using graph::Graph;
using graph::Node;
using graph::Value;

/// What is known of a value: that it does not depend on inputs; that summing it over these dimensions gives something
/// that does not; and which value it equals.
struct Facts {
  bool constant = false;
  std::vector<bool> flat;  ///< empty, or per dimension: summing over all marked dimensions gives a constant
  Value same;
};

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Analysis {
 public:
  explicit Analysis(const Graph& graph) : graph_(graph), facts_(graph.nodes.size()) {}

  bool run() {
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      const Node& node = graph_.nodes[at];
      Facts& facts = facts_[at];
      facts.same = {static_cast<std::int32_t>(at), 0};
      // Parameters are inputs to the function a program computes; constants are not.
      facts.constant = node.kind == graph::NodeKind::constant;
      if (node.kind == graph::NodeKind::call) look(node, facts);
    }
    return std::any_of(graph_.outputs.begin(), graph_.outputs.end(),
                       [&](const Value& output) { return of(output).constant; });
  }

 private:
  const Facts& of(const Value& value) const { return facts_[static_cast<std::size_t>(value.node)]; }

  void look(const Node& node, Facts& facts) {
    const Call call(graph_, node);
    const std::string& name = node.op->schema.name;
    const std::vector<Value> operands = graph::operands(node);
    facts.constant =
        std::all_of(operands.begin(), operands.end(), [&](const Value& value) { return of(value).constant; });
    if (facts.constant || node.op->family == "creation") {
      facts.constant = true;
      return;
    }
    if (name == "aten.softmax.int") look_at_softmax(call, facts);
    if (name == "aten.log_softmax.int" && extent(call, call.integer("dim")) == 1) facts.constant = true;
    if (is_one_of(name,
                  {"aten.sum.dim_IntList", "aten.mean.dim", "aten.logsumexp.default", "aten.max.dim", "aten.min.dim",
                   "aten.amax.default", "aten.amin.default", "aten.sum.default", "aten.mean.default"})) {
      look_at_reduction(call, facts);
    }
    if (name == "aten.sub.Tensor" && call.is_tensor("self") && call.is_tensor("other")) {
      facts.constant = of(call.value("self")).same == of(call.value("other")).same;
    }
    if (is_one_of(name, {"aten.instance_norm.default", "aten.group_norm.default", "aten.layer_norm.default",
                         "aten.batch_norm.default"})) {
      look_at_norm(call, facts);
    }
  }

  static std::int64_t extent(const Call& call, std::int64_t dim) {
    const graph::Shape& shape = call.shape("self");
    return shape.empty() ? 1 : shape[graph::plain_dimension(call, dim, shape.size())];
  }

  void look_at_softmax(const Call& call, Facts& facts) const {
    facts.constant = extent(call, call.integer("dim")) == 1;
    const std::size_t rank = call.shape("self").size();
    facts.flat.assign(rank, false);
    if (rank > 0) facts.flat[graph::plain_dimension(call, call.integer("dim"), rank)] = true;
  }

  /// Reducing a single element gives that element; a sum or a mean over all flat dimensions gives a constant.
  void look_at_reduction(const Call& call, Facts& facts) const {
    const graph::Shape& shape = call.shape("self");
    const std::string& name = call.op().schema.name;
    const bool has_dim = call.op().schema.find("dim").has_value();
    const std::vector<bool> marks =
        has_dim ? marked_dimensions(call, "dim", shape.size()) : std::vector<bool>(shape.size(), true);
    bool single = true;
    for (std::size_t at = 0; at < shape.size(); ++at) single = single && (!marks[at] || shape[at] == 1);
    const Facts& source = of(call.value("self"));
    const bool keeps = call.op().schema.find("keepdim") && call.flag("keepdim");
    if (single && keeps) facts.same = source.same;
    const bool additive = name.starts_with("aten.sum") || name.starts_with("aten.mean");
    if (!additive || source.flat.empty()) return;
    bool covers = true;
    for (std::size_t at = 0; at < shape.size(); ++at) covers = covers && (!source.flat[at] || marks[at]);
    facts.constant = covers;
  }

  /// What a norm returns has mean zero over each of its groups before weight and bias; with weights that are the same
  /// within a group, as they are at first, the mean of the result depends on parameters only.
  void look_at_norm(const Call& call, Facts& facts) const {
    const std::string& name = call.op().schema.name;
    const std::size_t rank = call.shape("input").size();
    facts.flat.assign(rank, true);
    if (name == "aten.batch_norm.default") {
      if (!call.flag("training"))
        facts.flat.clear();
      else
        facts.flat[1] = false;
      return;
    }
    if (name == "aten.layer_norm.default") {
      std::fill(facts.flat.begin(),
                facts.flat.end() - static_cast<std::ptrdiff_t>(call.integers("normalized_shape").size()), false);
      return;
    }
    facts.flat[0] = false;
    if (name == "aten.instance_norm.default") facts.flat[1] = false;
  }

  const Graph& graph_;
  std::vector<Facts> facts_;
};

}  // namespace

bool is_degenerate(const Graph& graph) { return Analysis(graph).run(); }

}  // namespace steptp::zoo
