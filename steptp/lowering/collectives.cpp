// How threads of a block reduce. A regular form (analysis/thread_groups.h) becomes partial results joined in a fixed
// tree, so that results do not depend on timing; any other form runs thread after thread. Over blocks, the kernel is
// launched once for each index of the axis. Decisions 0022 and 0060.
#include "steptp/lowering/collectives.h"

#include <algorithm>
#include <set>

#include "steptp/lowering/threads.h"

namespace steptp::lowering {

namespace {

bool has_thread_loop(const Node& node) {
  const auto axis = node.kind == Node::Kind::loop ? axis_of_loop(node.loop) : std::nullopt;
  if (axis && is_thread_axis(*axis)) return true;
  return std::any_of(node.body.begin(), node.body.end(), has_thread_loop);
}

}  // namespace

bool is_item(const Node& node) {
  const auto axis = node.kind == Node::Kind::loop ? axis_of_loop(node.loop) : std::nullopt;
  return axis ? is_thread_axis(*axis) : !has_thread_loop(node);
}

std::vector<Axis> axes_in_turn(const Arrangement& arrangement, const ArrangedKernel& kernel) {
  std::set<Axis> axes;
  for (const std::size_t statement : kernel.statements) {
    for (const Axis axis : reduced_axes(arrangement.table, statement)) {
      if (!is_thread_axis(axis)) axes.insert(axis);
    }
  }
  return {axes.begin(), axes.end()};
}

std::vector<Axis> reduced_thread_axes(const Arrangement& arrangement, std::size_t statement) {
  std::vector<Axis> axes = reduced_axes(arrangement.table, statement);
  std::erase_if(axes, [](Axis axis) { return !is_thread_axis(axis); });
  return axes;
}

namespace {

/// The value of a store, without what it is converted to in the end.
const Value& before_conversion(const Node& store) {
  const Value* value = store.value.get();
  while (value->kind == Value::Kind::convert && value->dtype == store.target->dtype) value = value->operands[0].get();
  return *value;
}

/// Parts may be joined in any order: the sum of a part is a value of the accumulator's type as any other sum. That is
/// not so where each step cuts off a fraction, or the greatest of wide integers is wrapped.
bool joins_in_any_order(const Statement& statement, const Node& store) {
  const Value& value = before_conversion(store);
  if (value.kind != Value::Kind::arithmetic) return false;
  const DType dtype = store.target->dtype;
  if (value.dtype == dtype) return true;
  if (is_float(dtype) && is_float(value.dtype)) return true;
  const bool wraps = *statement.accumulates == ArithmeticOp::add || *statement.accumulates == ArithmeticOp::multiply;
  return wraps && !is_float(dtype) && !is_float(value.dtype) && info(dtype).bytes <= info(value.dtype).bytes;
}

}  // namespace

std::optional<ThreadReduction> thread_reduction(const Arrangement& arrangement, const ArrangedKernel& kernel,
                                                const Node& item) {
  ThreadReduction out;
  const Node* at = &item;
  for (; at->kind != Node::Kind::store; at = &at->body[0]) {
    if (at->body.size() != 1) return std::nullopt;
    out.around.push_back(at);
  }
  out.store = at;
  const Statement& statement = arrangement.table.statements[at->statement];
  auto groups = thread_groups(arrangement.table, kernel.extents, at->statement);
  if (!groups || !joins_in_any_order(statement, *at)) return std::nullopt;
  out.groups = *std::move(groups);
  // The loops of the item are the last ones of the statement.
  std::size_t loop = out.groups.first_loop;
  const auto contains = [&](const std::vector<std::size_t>& loops) {
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
  };
  for (const Node* around : out.around) {
    if (around->kind != Node::Kind::loop) continue;
    const auto axis = axis_of_loop(around->loop);
    if (contains(out.groups.walked)) out.walked.push_back(around);
    if (contains(out.groups.held)) out.held.push_back(around);
    if (contains(out.groups.kept_loops) || (axis && !is_thread_axis(*axis))) out.fixed.push_back(around);
    ++loop;
  }
  return out;
}

}  // namespace steptp::lowering
