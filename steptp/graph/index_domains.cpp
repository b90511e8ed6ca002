#include "steptp/graph/index_domains.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "steptp/graph/call.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;  ///< not included
};

class Inputs {
 public:
  explicit Inputs(const Graph& graph) : graph_(graph), source_(graph.nodes.size(), -1) {}

  /// The input whose elements, and no others, are those of this value; -1: there is none.
  [[nodiscard]] std::int32_t of(const Value& value) const {
    return value.node < 0 || value.output != 0 ? -1 : source_[static_cast<std::size_t>(value.node)];
  }

  void visit(std::size_t number) {
    constexpr std::array<std::string_view, 14> kCopies = {
        "aten.view.default",       "aten.reshape.default",     "aten.flatten.using_ints", "aten.unsqueeze.default",
        "aten.squeeze.dim",        "aten.transpose.int",       "aten.permute.default",    "aten.expand.default",
        "aten.contiguous.default", "aten.clone.default",       "aten.t.default",          "aten.detach.default",
        "aten.repeat.default",     "aten._unsafe_view.default"};
    const Node& node = graph_.nodes[number];
    if (node.kind == NodeKind::input) source_[number] = static_cast<std::int32_t>(number);
    if (node.kind != NodeKind::call) return;
    const bool copies = std::find(kCopies.begin(), kCopies.end(), node.op->schema.name) != kCopies.end();
    const Value* first = copies ? std::get_if<Value>(&node.arguments.front()) : nullptr;
    if (first) source_[number] = of(*first);
  }

 private:
  const Graph& graph_;
  std::vector<std::int32_t> source_;
};

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), inputs_(graph) {
    for (std::size_t number = 0; number < graph.nodes.size(); ++number) {
      inputs_.visit(number);
      if (graph.nodes[number].kind == NodeKind::call) look(Call(graph, graph.nodes[number]));
    }
  }

  [[nodiscard]] const std::map<std::int32_t, Range>& found() const { return found_; }
  [[nodiscard]] const std::set<std::int32_t>& masks() const { return masks_; }

 private:
  void allow(const Value& index, Range range) {
    const std::int32_t input = inputs_.of(index);
    if (input < 0) return;
    const auto [at, fresh] = found_.emplace(input, range);
    if (!fresh) at->second = {std::max(at->second.low, range.low), std::min(at->second.high, range.high)};
  }

  void note_mask(const Value& value) {
    const std::int32_t input = inputs_.of(value);
    if (input >= 0 && is_float(graph_.nodes[static_cast<std::size_t>(input)].outputs.front().dtype))
      masks_.insert(input);
  }

  /// softmax(scores+mask): the operands of the sum that are inputs and are called so.
  void look_at_scores(const Value& scores) {
    const Node& sum = graph_.node(scores);
    if (sum.kind != NodeKind::call || sum.op->schema.name != "aten.add.Tensor") return;
    for (const Argument& argument : sum.arguments) {
      const auto* operand = std::get_if<Value>(&argument);
      const std::int32_t input = operand ? inputs_.of(*operand) : -1;
      if (input < 0) continue;
      const std::string& name = graph_.nodes[static_cast<std::size_t>(input)].name;
      if (name.find("mask") != std::string::npos) note_mask(*operand);
    }
  }

  void look(const Call& call) {
    const std::string_view name = call.op().schema.name;
    if (name == "aten.scaled_dot_product_attention.default") {
      if (call.has("attn_mask")) note_mask(call.value("attn_mask"));
      return;
    }
    if (name.find("softmax") != std::string_view::npos) return look_at_scores(call.value("self"));
    if (name == "aten.embedding.default") return allow(call.value("indices"), {0, call.shape("weight").front()});
    if (name == "aten.gather.default" || name == "aten.index_select.default" || name.starts_with("aten.scatter")) {
      const Shape& shape = call.shape("self");
      if (!shape.empty())
        allow(call.value("index"), {0, shape[plain_dimension(call, call.integer("dim"), shape.size())]});
      return;
    }
    if (name != "aten.index.Tensor" && name != "aten.index_put.default") return;
    const std::vector<Value>& indices = call.values("indices");
    for (std::size_t dim = 0; dim < indices.size(); ++dim) {
      const std::int64_t extent = call.shape("self")[dim];
      allow(indices[dim], {-extent, extent});
    }
  }

  const Graph& graph_;
  Inputs inputs_;
  std::map<std::int32_t, Range> found_;
  std::set<std::int32_t> masks_;
};

}  // namespace

void state_index_domains(Graph& graph) {
  const Finder finder(graph);
  for (const std::int32_t number : finder.masks()) {
    Domain& domain = graph.nodes[static_cast<std::size_t>(number)].domain;
    if (domain.kind == Domain::Kind::unstated) domain.kind = Domain::Kind::masked;
  }
  for (const auto& [number, range] : finder.found()) {
    Node& node = graph.nodes[static_cast<std::size_t>(number)];
    if (node.domain.kind != Domain::Kind::unstated || range.low >= range.high) continue;
    node.domain.kind = Domain::Kind::range;
    node.domain.low = static_cast<double>(range.low);
    node.domain.high = static_cast<double>(range.high);
  }
}

}  // namespace steptp::graph
