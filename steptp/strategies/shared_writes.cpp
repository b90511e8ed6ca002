#include "steptp/strategies/shared_writes.h"

#include "steptp/analysis/coincidence.h"
#include "steptp/analysis/concurrency.h"

namespace steptp {

namespace {

/// The first equation below with a loop around it that `wanted` answers yes for, of those whose iterations run at the
/// same time and may write one element.
template <typename Wanted>
const Statement* first_shared(View& view, const PlacedLoop& at, const Wanted& wanted) {
  const AccessTable& table = view.table();
  for (const Access& write : accesses_below(view, *at.nest)) {
    if (!write.is_write) continue;
    const Statement& statement = table.statements[write.statement];
    for (const LoopPair& pair : coincide(table, write, write, pair_loops(statement, statement, 0)).pairs) {
      const Loop& loop = *statement.loops[pair.first];
      if (pair.equal || loop.extent == 1 || loop.kind == LoopKind::serial || loop.kind == LoopKind::unrolled) continue;
      if (wanted(statement, pair.first)) return &statement;
    }
  }
  return nullptr;
}

}  // namespace

const Statement* shared_by_one_equation(View& view, const PlacedLoop& at) {
  const std::size_t around = loops_around(*at.nest) + at.position;
  return first_shared(view, at, [around](const Statement& statement, std::size_t position) {
    // No barrier stands between the copies where a thread loop is around both.
    const bool is_in_thread = first_thread_loop(statement, around) < around;
    return position < around || (is_in_thread && statement.loops[position]->kind == LoopKind::bound);
  });
}

const Statement* shared_by_some(View& view, const PlacedLoop& at) {
  return first_shared(view, at, [](const Statement&, std::size_t) { return true; });
}

const Statement* written_alike(View& view, const PlacedLoop& at) {
  const std::size_t own = loops_around(*at.nest) + at.position;
  return first_shared(view, at, [own](const Statement& statement, std::size_t position) {
    return position == own && !statement.accumulates;
  });
}

}  // namespace steptp
