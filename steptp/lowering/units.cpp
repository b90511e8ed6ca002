#include "steptp/lowering/units.h"

#include <algorithm>

#include "steptp/lowering/threads.h"

namespace steptp::lowering {

bool is_run_by_units(const Statement& statement) {
  return std::any_of(statement.loops.begin(), statement.loops.end(), [](const Loop* loop) {
    const auto axis = axis_of_loop(*loop);
    return axis && is_unit_axis(*axis);
  });
}

bool has_units(const Arrangement& arrangement, const ArrangedKernel& kernel) {
  return std::any_of(kernel.statements.begin(), kernel.statements.end(),
                     [&](std::size_t statement) { return is_run_by_units(arrangement.table.statements[statement]); });
}

std::int64_t units_of(const ArrangedKernel& kernel) {
  std::int64_t out = 1;
  for (const Axis axis : {Axis::wx, Axis::wy, Axis::wz}) out *= kernel.extents[static_cast<std::size_t>(axis)];
  return out;
}

std::array<std::int64_t, 3> block_of(const Arrangement& arrangement, const ArrangedKernel& kernel) {
  const auto extent = [&](Axis axis) { return kernel.extents[static_cast<std::size_t>(axis)]; };
  if (!has_units(arrangement, kernel)) return {extent(Axis::tx), extent(Axis::ty), extent(Axis::tz)};
  const std::int64_t threads = std::max(units_of(kernel) * kUnitLanes, extent(Axis::tx));
  return {(threads + kUnitLanes - 1) / kUnitLanes * kUnitLanes, 1, 1};
}

}  // namespace steptp::lowering
