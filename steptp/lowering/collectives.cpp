// How threads of a block reduce into one element. The usual form (one equation, one element per group of threads)
// becomes partial results joined in a fixed tree, so that results do not depend on timing; any other form runs
// thread after thread. Over blocks, the kernel is launched once for each index of the axis. Decision 0022.
#include "steptp/lowering/collectives.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "steptp/lowering/threads.h"

namespace steptp::lowering {

namespace {

constexpr std::array kThreadAxes = {Axis::tx, Axis::ty, Axis::tz};

bool contains(const std::vector<Axis>& axes, Axis axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool mentions_any(const Ref& ref, const std::set<std::string>& names) {
  bool found = false;
  for (const Index& subscript : ref.subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { found = found || names.contains(name); });
  }
  return found;
}

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

std::optional<ThreadReduction> thread_reduction(const Arrangement& arrangement, const ArrangedKernel& kernel,
                                                const Node& item, const std::vector<Axis>& axes) {
  ThreadReduction out;
  const Node* at = &item;
  for (; at->kind != Node::Kind::store; at = &at->body[0]) {
    if (at->body.size() != 1) return std::nullopt;
    out.around.push_back(at);
  }
  out.store = at;
  out.axes = axes;
  const Ref& target = *at->target;
  // The accumulator must not be converted on the way, and its definedness not be asked for.
  const bool plain = at->value->kind == Value::Kind::arithmetic && at->value->dtype == target.dtype;
  if (!plain || target.dtype == DType::boolean || !arrangement.buffers.at(target.tensor).initial) return std::nullopt;

  std::set<std::string> reduced;
  std::set<Axis> looped;
  for (const Node* around : out.around) {
    if (around->kind == Node::Kind::guard) {
      out.guarded = true;
      continue;
    }
    const auto axis = axis_of_loop(around->loop);
    if (axis) looped.insert(*axis);
    const bool is_reduced = axis ? contains(axes, *axis) : !mentions_any(target, {around->loop.index});
    if (!is_reduced && !axis) return std::nullopt;  // an inner loop over elements
    if (is_reduced) {
      reduced.insert(around->loop.index);
    } else {
      out.kept.push_back(around);
    }
  }
  if (mentions_any(target, reduced)) return std::nullopt;
  for (const Axis axis : kThreadAxes) {
    const std::int64_t extent = kernel.extents[static_cast<std::size_t>(axis)];
    if (contains(axes, axis)) {
      out.size *= extent;
    } else if (extent > 1) {
      out.others.push_back(axis);
      out.groups *= extent;
      if (!looped.contains(axis)) out.missing.push_back(axis);
    }
  }
  // Groups that nobody contributes to could not be told apart.
  if (out.guarded && !out.others.empty()) return std::nullopt;
  return out;
}

std::int64_t first_step(std::int64_t parts) {
  std::int64_t power = 1;
  while (power * 2 < parts) power *= 2;
  return power;
}

}  // namespace steptp::lowering
