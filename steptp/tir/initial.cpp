#include "steptp/tir/initial.h"

#include <algorithm>

#include "steptp/analysis/index_map.h"
#include "steptp/analysis/instances.h"

namespace steptp::tir {

namespace {

bool uses(const std::vector<Index>& subscripts, const std::string& name) {
  bool found = false;
  for (const Index& subscript : subscripts) {
    for_each_variable(subscript, [&](const std::string& other) { found = found || other == name; });
  }
  return found;
}

bool guard_mentions_reduction(const lowering::Arrangement& arrangement, const Statement& statement) {
  bool found = false;
  for (const ExprPtr& guard : statement.guards) {
    for_each_variable(*guard, [&](const std::string& name) {
      for (const Loop* loop : statement.loops) {
        if (loop->index == name && !is_spatial(arrangement, statement, *loop)) found = true;
      }
    });
  }
  return found;
}

}  // namespace

bool is_spatial(const lowering::Arrangement& arrangement, const Statement& statement, const Loop& loop) {
  // An axis of one iteration is always at its first.
  if (!statement.accumulates || loop.extent == 1) return true;
  const Ref& left = *statement.equation->left;
  if (uses(left.subscripts, loop.index)) return true;
  const Scope scope = arrangement.buffers.at(left.tensor).scope;
  if (scope == Scope::global) return false;
  // Scoped data is new in every launch, block and thread.
  const auto at = std::find(statement.loops.begin(), statement.loops.end(), &loop);
  if (at - statement.loops.begin() < static_cast<std::ptrdiff_t>(statement.kernel.host_loops)) return true;
  const auto axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
  return axis && (is_private(scope) || !is_thread_axis(*axis));
}

std::set<std::size_t> statements_with_init(const lowering::Arrangement& arrangement) {
  std::set<std::size_t> out;
  Presburger isl;
  for (const auto& [name, tensor] : arrangement.table.tensors) {
    if (tensor.writes.size() != 1) continue;
    const Access& write = arrangement.table.accesses[tensor.writes[0]];
    const Statement& statement = arrangement.table.statements[write.statement];
    if (!statement.accumulates || guard_mentions_reduction(arrangement, statement)) continue;
    const auto map = index_map_of(statement, full_subscripts(arrangement.table, write));
    if (map && is_injective(*map, isl) == Truth::yes) out.insert(write.statement);
  }
  return out;
}

}  // namespace steptp::tir
