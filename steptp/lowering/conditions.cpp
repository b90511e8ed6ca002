#include "steptp/lowering/conditions.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "steptp/lowering/offsets.h"

namespace steptp::lowering {

namespace {

/// A side of a comparison as an exact integer.
std::optional<Index> as_index(const Value& value) {
  if (value.kind == Value::Kind::index) return value.index;
  if (value.kind == Value::Kind::integer) return Index::constant(value.integer);
  if (value.kind == Value::Kind::function && value.function == Function::negate) {
    const auto operand = as_index(*value.operands[0]);
    return operand ? Index::subtract(Index(), *operand) : std::nullopt;
  }
  return std::nullopt;
}

/// difference = rest + step * index, where the rest is a constant plus multiples of `divisor`.
struct Line {
  std::int64_t step = 0;
  std::int64_t constant = 0;
  std::int64_t divisor = 0;
};

std::optional<Line> line_along(const Index& difference, const std::string& index) {
  Line out;
  for (const IndexTerm& term : difference.terms()) {
    const auto* variable = term.factors.size() == 1 ? std::get_if<LoopVariable>(term.factors.data()) : nullptr;
    if (variable && variable->name == index) out.step = term.coefficient;
  }
  const auto moving = Index::multiply(Index::constant(out.step), Index::variable(index));
  const auto rest = moving ? Index::subtract(difference, *moving) : std::nullopt;
  if (!rest || mentions(*rest, index)) return std::nullopt;
  out.constant = rest->constant_term();
  for (const IndexTerm& term : rest->terms()) out.divisor = std::gcd(out.divisor, term.coefficient);
  return out;
}

/// Whether some value of the rest makes the difference negative in one iteration and not in another.
bool may_change_sign(const Line& line, std::int64_t extent) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (std::abs(line.step) > kMost || extent > kMost / 1024 || std::abs(line.constant) > kMost) return true;
  const std::int64_t reach = line.step * (extent - 1);
  const std::int64_t first = -std::max<std::int64_t>(reach, 0);
  const std::int64_t last = -std::min<std::int64_t>(reach, 0) - 1;
  if (line.divisor == 0) return first <= line.constant && line.constant <= last;
  return first + floor_remainder(line.constant - first, line.divisor) <= last;
}

bool says_the_same(const Value& comparison, const Loop& loop) {
  auto left = as_index(*comparison.operands[0]);
  auto right = as_index(*comparison.operands[1]);
  if (!left || !right) return false;
  if (!mentions(*left, loop.index) && !mentions(*right, loop.index)) return true;
  // Each as left - right < 0, or its opposite.
  switch (comparison.comparison) {
    case CompareOp::less:
    case CompareOp::greater_equal: break;
    case CompareOp::greater:
    case CompareOp::less_equal: std::swap(left, right); break;
    default: return false;
  }
  const auto difference = Index::subtract(*left, *right);
  const auto line = difference ? line_along(*difference, loop.index) : std::nullopt;
  return line && !may_change_sign(*line, loop.extent);
}

ValuePtr with_operands(const Value& value, std::vector<ValuePtr> operands) {
  if (operands == value.operands) return nullptr;
  auto out = std::make_shared<Value>(value);
  out->operands = std::move(operands);
  return out;
}

/// The index of the loop as 0 in one side of a comparison.
ValuePtr at_first(const ValuePtr& side, const Loop& loop) {
  if (side->kind != Value::Kind::index || !mentions(side->index, loop.index)) return side;
  const auto first = at_zero(side->index, loop.index);
  if (!first) return nullptr;
  auto out = std::make_shared<Value>(*side);
  out->index = *first;
  return out;
}

/// The same value where the conditions of its selections are free of the loop's index as far as possible.
ValuePtr with_free_selections(const ValuePtr& value, const Loop& loop) {
  std::vector<ValuePtr> operands;
  for (const ValuePtr& operand : value->operands) operands.push_back(with_free_selections(operand, loop));
  if (value->kind == Value::Kind::select) {
    if (ValuePtr condition = free_of(value->operands[0], loop)) operands[0] = std::move(condition);
  }
  ValuePtr out = with_operands(*value, std::move(operands));
  return out ? out : value;
}

bool has_bound_loop(const Node& node) {
  if (node.kind == Node::Kind::loop && node.loop.kind == LoopKind::bound) return true;
  return std::any_of(node.body.begin(), node.body.end(), has_bound_loop);
}

enum class Selections : std::uint8_t { as_they_are, free_of_lanes };

std::vector<Node> with_outside(const std::vector<Node>& nodes, Selections selections);

Node with_condition_outside(Node node, Selections selections) {
  node.body = with_outside(node.body, selections);
  if (node.kind != Node::Kind::loop || node.body.size() != 1 || has_bound_loop(node)) return node;
  Node& inner = node.body[0];
  if (inner.kind == Node::Kind::store && selections == Selections::free_of_lanes)
    inner.value = with_free_selections(inner.value, node.loop);
  if (inner.kind != Node::Kind::guard) return node;
  ValuePtr condition = free_of(inner.condition, node.loop);
  if (!condition) return node;
  Node guard = std::move(inner);
  guard.condition = std::move(condition);
  node.body = std::move(guard.body);
  guard.body.clear();
  guard.body.push_back(with_condition_outside(std::move(node), selections));
  return guard;
}

std::vector<Node> with_outside(const std::vector<Node>& nodes, Selections selections) {
  std::vector<Node> out;
  for (const Node& node : nodes) out.push_back(with_condition_outside(node, selections));
  return out;
}

}  // namespace

ValuePtr free_of(const ValuePtr& condition, const Loop& loop) {
  if (condition->kind == Value::Kind::compare) {
    if (!says_the_same(*condition, loop)) return nullptr;
    ValuePtr left = at_first(condition->operands[0], loop);
    ValuePtr right = at_first(condition->operands[1], loop);
    if (!left || !right) return nullptr;
    ValuePtr out = with_operands(*condition, {std::move(left), std::move(right)});
    return out ? out : condition;
  }
  if (condition->kind != Value::Kind::logic) return nullptr;
  std::vector<ValuePtr> operands;
  for (const ValuePtr& operand : condition->operands) {
    operands.push_back(free_of(operand, loop));
    if (!operands.back()) return nullptr;
  }
  ValuePtr out = with_operands(*condition, std::move(operands));
  return out ? out : condition;
}

std::vector<Node> with_conditions_outside(const std::vector<Node>& nodes) {
  return with_outside(nodes, Selections::free_of_lanes);
}

std::vector<Node> with_guards_outside(const std::vector<Node>& nodes) {
  return with_outside(nodes, Selections::as_they_are);
}

}  // namespace steptp::lowering
