// Which statements of a kernel pass data between threads, and along which axes a statement accumulates. Both answers
// come from coincidence.h and may say yes too often, never too seldom: an extra barrier costs time, a missing one is
// wrong.
#include "steptp/lowering/threads.h"

#include <algorithm>

#include "steptp/analysis/coincidence.h"

namespace steptp::lowering {

std::optional<Axis> axis_of_loop(const Loop& loop) {
  return loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
}

namespace {

/// The position of the loop over an axis; nothing where the statement runs at 0 there.
std::optional<std::size_t> position_of(const Statement& statement, Axis axis) {
  for (std::size_t i = statement.kernel.host_loops; i < statement.loops.size(); ++i) {
    if (axis_of_loop(*statement.loops[i]) == axis) return i;
  }
  return std::nullopt;
}

bool known_equal(const std::vector<LoopPair>& pairs, std::size_t first, std::size_t second) {
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](const LoopPair& pair) { return pair.equal && pair.first == first && pair.second == second; });
}

bool is_run_by_units(const Statement& statement) {
  return std::any_of(statement.loops.begin(), statement.loops.end(), [](const Loop* loop) {
    const auto axis = axis_of_loop(*loop);
    return axis && is_unit_axis(*axis);
  });
}

/// One element touched by both means one thread. A unit is never the same as a thread (docs/language.md R20).
bool same_thread(const Statement& first, const Statement& second, const std::vector<LoopPair>& pairs) {
  if (is_run_by_units(first) != is_run_by_units(second)) return false;
  for (const Axis axis : {Axis::tx, Axis::ty, Axis::tz, Axis::wx, Axis::wy, Axis::wz}) {
    const auto left = position_of(first, axis);
    const auto right = position_of(second, axis);
    if (!left && !right) continue;
    const bool trivial = (!left || first.loops[*left]->extent == 1) && (!right || second.loops[*right]->extent == 1);
    if (trivial) continue;
    if (!left || !right || !known_equal(pairs, *left, *right)) return false;
  }
  return true;
}

}  // namespace

std::vector<Axis> reduced_axes(const AccessTable& table, std::size_t statement) {
  const Statement& source = table.statements[statement];
  if (!source.accumulates) return {};
  const auto write = std::find_if(table.accesses.begin(), table.accesses.end(), [&](const Access& access) {
    return access.statement == statement && access.is_write;
  });
  const Coincidence found = coincide(table, *write, *write, pair_loops(source, source, source.kernel.host_loops));
  std::vector<Axis> out;
  for (const LoopPair& pair : found.pairs) {
    const Loop& loop = *source.loops[pair.first];
    const auto axis = axis_of_loop(loop);
    if (axis && !pair.equal && loop.extent > 1) out.push_back(*axis);
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool share_data(const AccessTable& table, std::size_t first, std::size_t second) {
  const Statement& left = table.statements[first];
  const Statement& right = table.statements[second];
  for (const Access& a : table.accesses) {
    if (a.statement != first || is_private(table.tensors.at(a.ref->tensor).effective_scope())) continue;
    for (const Access& b : table.accesses) {
      if (b.statement != second || b.ref->tensor != a.ref->tensor || (!a.is_write && !b.is_write)) continue;
      std::vector<LoopPair> pairs = pair_loops(left, right, left.kernel.host_loops);
      for (LoopPair& pair : pairs) {
        const auto axis = axis_of_loop(*left.loops[pair.first]);
        pair.equal = pair.equal || (axis && !is_thread_axis(*axis));
      }
      const Coincidence found = coincide(table, a, b, std::move(pairs));
      if (!found.impossible && !same_thread(left, right, found.pairs)) return true;
    }
  }
  return false;
}

}  // namespace steptp::lowering
