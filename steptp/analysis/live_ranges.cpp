#include "steptp/analysis/live_ranges.h"

#include <algorithm>

#include "steptp/analysis/regions.h"

namespace steptp {

namespace {

/// Widens the range to all statements of the outermost loop that both share.
void cover_shared_loop(const AccessTable& table, std::size_t one, std::size_t other, LiveRange& range) {
  const Statement& first = table.statements[one];
  const Statement& second = table.statements[other];
  const std::size_t shared = relate(first, second).shared_nests;
  std::size_t outermost = 0;
  while (outermost < shared && first.nests[outermost]->loops.empty()) ++outermost;
  if (outermost == shared) return;
  for (std::size_t i = 0; i < table.statements.size(); ++i) {
    if (relate(first, table.statements[i]).shared_nests <= outermost) continue;
    range.first = std::min(range.first, i);
    range.last = std::max(range.last, i);
  }
}

}  // namespace

std::map<std::string, LiveRange> live_ranges(const AccessTable& table) {
  std::map<std::string, LiveRange> ranges;
  for (const auto& [name, tensor] : table.tensors) {
    if (tensor.reads.empty() && tensor.writes.empty()) continue;
    LiveRange range;
    range.from_start = tensor.known && tensor.known->role != Role::output;
    range.to_end = tensor.known && tensor.known->role == Role::output;
    range.first = table.statements.size() - 1;
    for (const auto* list : {&tensor.writes, &tensor.reads}) {
      for (const std::size_t number : *list) {
        range.first = std::min(range.first, table.accesses[number].statement);
        range.last = std::max(range.last, table.accesses[number].statement);
      }
    }
    for (const std::size_t read : tensor.reads) {
      for (const std::size_t write : tensor.writes) {
        if (table.accesses[read].statement > table.accesses[write].statement) continue;
        cover_shared_loop(table, table.accesses[read].statement, table.accesses[write].statement, range);
      }
    }
    if (range.from_start) range.first = 0;
    if (range.to_end) range.last = table.statements.size() - 1;
    ranges.emplace(name, range);
  }
  return ranges;
}

}  // namespace steptp
