#include "steptp/analysis/rounds.h"

#include <algorithm>

namespace steptp {

std::optional<std::size_t> round_loop(const AccessTable& table, const TensorFacts& tensor) {
  const Statement* first = nullptr;
  std::size_t shared = 0;
  for (const auto* numbers : {&tensor.writes, &tensor.reads}) {
    for (const std::size_t number : *numbers) {
      const Statement& statement = table.statements[table.accesses[number].statement];
      if (!first) {
        first = &statement;
        shared = statement.loops.size();
      }
      const auto end = first->loops.begin() + static_cast<std::ptrdiff_t>(std::min(shared, statement.loops.size()));
      shared = static_cast<std::size_t>(std::mismatch(first->loops.begin(), end, statement.loops.begin()).first -
                                        first->loops.begin());
    }
  }
  if (!first) return std::nullopt;
  while (shared > first->kernel.host_loops) {
    if (first->loops[--shared]->kind == LoopKind::serial) return shared;
  }
  return std::nullopt;
}

}  // namespace steptp
