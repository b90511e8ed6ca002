#include "steptp/cuda/guards.h"

#include <algorithm>
#include <utility>

#include "steptp/cuda/body.h"

namespace steptp::cuda {

using lowering::Node;
using lowering::Value;

namespace {

/// True where a condition asks only for indices, and not for this one.
bool is_independent(const Value& condition, const std::string& index) {
  if (condition.kind == Value::Kind::load) return false;
  if (condition.kind == Value::Kind::index && mentions(condition.index, index)) return false;
  return std::all_of(condition.operands.begin(), condition.operands.end(),
                     [&](const lowering::ValuePtr& operand) { return is_independent(*operand, index); });
}

bool has_bound_loop(const Node& node) {
  if (node.kind == Node::Kind::loop && node.loop.kind == LoopKind::bound) return true;
  return std::any_of(node.body.begin(), node.body.end(), has_bound_loop);
}

Node with_guard_outside(Node node) {
  node.body = with_guards_outside(node.body);
  if (node.kind != Node::Kind::loop || node.body.size() != 1 || has_bound_loop(node)) return node;
  if (node.body[0].kind != Node::Kind::guard || !is_independent(*node.body[0].condition, node.loop.index)) return node;
  Node guard = std::move(node.body[0]);
  node.body = std::move(guard.body);
  guard.body = {std::move(node)};
  return guard;
}

}  // namespace

std::vector<Node> with_guards_outside(const std::vector<Node>& nodes) {
  std::vector<Node> out;
  for (const Node& node : nodes) out.push_back(with_guard_outside(node));
  return out;
}

}  // namespace steptp::cuda
