#include "steptp/lowering/homes.h"

#include <algorithm>

namespace steptp::lowering {

std::vector<Axis> outer_axes(const KernelPlan& kernel) {
  std::vector<Axis> out;
  const std::vector<Node>* nodes = &kernel.body;
  while (nodes->size() == 1 && nodes->front().kind == Node::Kind::loop) {
    const Node& node = nodes->front();
    const auto axis = node.loop.kind == LoopKind::bound ? axis_of(node.loop.index) : std::nullopt;
    if (!axis) break;
    out.push_back(*axis);
    nodes = &node.body;
  }
  return out;
}

Home home_of(const KernelPlan& kernel, const Buffer& buffer) {
  const auto is_hidden = [&](Axis axis) { return buffer.scope == Scope::local || !is_thread_axis(axis); };
  Home home;
  std::vector<Axis> around;
  for (const Axis axis : outer_axes(kernel)) {
    if (!is_hidden(axis)) break;
    around.push_back(axis);
    ++home.depth;
  }
  home.elements = buffer.elements;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const auto axis = static_cast<Axis>(i);
    if (!is_hidden(axis) || kernel.extents[i] == 1) continue;
    if (std::find(around.begin(), around.end(), axis) != around.end()) continue;
    home.expanded.emplace_back(axis, home.elements);
    home.elements *= kernel.extents[i];
  }
  return home;
}

}  // namespace steptp::lowering
