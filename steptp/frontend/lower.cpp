#include "steptp/frontend/lower.h"

#include <algorithm>
#include <limits>

#include "steptp/base/text.h"
#include "steptp/frontend/lowering.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/graph/operator.h"

namespace steptp::frontend {

namespace {

using graph::Graph;
using graph::Node;
using graph::NodeKind;

/// What the data of a constant shows that is too large to be written out: the range of integers, and whether a mask
/// holds -inf.
Domain domain_of_data(const Node& node, const graph::TensorType& type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (type.dtype == DType::boolean) return {};
  double low = kInfinity;
  double high = -kInfinity;
  const bool is_splat = node.value->kind == graph::TensorValue::Kind::splat;
  const std::int64_t elements = is_splat ? 1 : graph::count(type.shape);
  for (std::int64_t at = 0; at < elements; ++at) {
    const double value = graph::element(*node.value, type.shape, at);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!is_float(type.dtype)) return {Domain::Kind::range, low, high + 1};
  return low == -kInfinity && high < kInfinity ? Domain{Domain::Kind::masked, 0, 0} : Domain{};
}

Variable variable(const Node& node, const std::string& name, Role role, const LowerOptions& options) {
  Variable out;
  out.name = name;
  out.role = role;
  out.dtype = node.outputs.front().dtype;
  out.shape = node.outputs.front().shape;
  out.domain = node.domain;
  const std::int64_t elements = graph::count(out.shape);
  if (role != Role::constant || node.kind != NodeKind::constant) return out;
  if (elements > options.most_values) {
    if (out.domain.kind == Domain::Kind::unstated) out.domain = domain_of_data(node, node.outputs.front());
    return out;
  }
  for (std::int64_t at = 0; at < elements; ++at) {
    const double value = graph::element(*node.value, out.shape, at);
    out.values.push_back(is_float(out.dtype) ? held_by(out.dtype, value) : value);
  }
  return out;
}

Signature signature_of(const Graph& graph, const Naming& naming, const LowerOptions& options) {
  Signature out;
  const auto node = [&](std::int32_t number) -> const Node& { return graph.nodes[static_cast<std::size_t>(number)]; };
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    const Node& input = graph.nodes[at];
    if (input.kind != NodeKind::input) continue;
    out.variables.push_back(
        variable(input, naming.values.at({static_cast<std::int32_t>(at), 0}), Role::input, options));
  }
  for (const Naming::Known& known : naming.constants) {
    out.variables.push_back(variable(node(known.node), known.name, known.role, options));
  }
  for (const Naming::Known& known : naming.parameters) {
    out.variables.push_back(variable(node(known.node), known.name, known.role, options));
  }
  for (std::size_t number = 0; number < graph.outputs.size(); ++number) {
    const graph::TensorType& type = graph.type(graph.outputs[number]);
    Variable result;
    result.name = naming.outputs[number];
    result.role = Role::output;
    result.dtype = type.dtype;
    result.shape = type.shape;
    out.variables.push_back(std::move(result));
  }
  return out;
}

Diagnostic refusal(const Node& node, const std::string& message) {
  const std::string place =
      node.place.file.empty() ? concat("node '", node.name, "'") : concat(node.place.file, ":", node.place.line);
  return make_error("graph-operator", concat(place, ": ", message),
                    "docs/frontend.md lists the operators and says how to add one");
}

}  // namespace

Result<Lowered, Diagnostic> lower(const Graph& graph, const LowerOptions& options) {
  Lowering lowering(graph);
  const Naming& naming = lowering.naming();
  for (std::size_t at = 0; at < graph.nodes.size(); ++at) {
    const Node& node = graph.nodes[at];
    if (node.kind != NodeKind::call || !naming.live[at]) continue;
    const LoweringRow* row = find_lowering(node.op->schema.name);
    if (!row) return refusal(node, concat("the operator ", node.op->schema.name, " has no lowering"));
    if (node.writing == graph::Writing::inlined) continue;
    lowering.set_joins(node.writing == graph::Writing::joined);
    try {
      row->lower(CallLowering(lowering, node, static_cast<std::int32_t>(at)));
    } catch (const graph::Misuse& misuse) {
      return refusal(node, misuse.message);
    }
  }
  lowering.set_joins(false);
  for (const graph::Value& output : graph.outputs) {
    if (graph.node(output).writing == graph::Writing::inlined)
      return refusal(graph.node(output), "an output has a tensor, and cannot be written inside another expression");
  }
  if (lowering.has_held()) return refusal(graph.nodes.back(), "no call follows for the one before it to join");
  // An output that is an input, a parameter or a constant, or the same value as an output before it, is a copy.
  for (std::size_t number = 0; number < graph.outputs.size(); ++number) {
    const Tensor source = lowering.tensor(graph.outputs[number]);
    if (source.name == naming.outputs[number]) continue;
    NestWriter nest;
    const Subscripts at = nest.loops(source.shape);
    nest.set({naming.outputs[number], source.dtype, source.shape}, at, source.at(at));
    lowering.append(nest.finish());
  }
  Lowered out;
  out.program.name = graph.name;
  out.program.signature = signature_of(graph, naming, options);
  out.program.nests = lowering.take();
  for (const std::vector<Naming::Known>* list : {&naming.constants, &naming.parameters}) {
    for (const Naming::Known& known : *list) {
      out.origins.push_back({known.name, graph.nodes[static_cast<std::size_t>(known.node)].path});
    }
  }
  return out;
}

}  // namespace steptp::frontend
