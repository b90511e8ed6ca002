// One thread for each element: `map`, and sums with what is made of them in one kernel (`inline`, then `map`).
#include <algorithm>

#include "steptp/moves/parts.h"
#include "steptp/planner/proposals.h"

namespace steptp {

namespace {

void add_map(ProposalList& list, std::uint32_t expression, std::int64_t threads, std::int64_t width, bool is_flat) {
  list.add("map", expression, 1, {{"threads", threads}, {"width", width}, {"flat", is_flat ? 1 : 0}, {"rounds", 1}});
}

/// On a CPU: a fold goes round outside of the loop whose neighbours lie beside each other, which become lanes.
void propose_columns(const Statement& statement, std::uint32_t expression, ProposalList& list) {
  const std::size_t loops = statement.loops.size();
  const std::size_t reduced = axes_of(statement).reduced.size();
  if (!statement.accumulates || reduced == 0 || loops <= reduced) return;
  const std::size_t lanes = loops - reduced - 1;
  for (const AxisOf& axis : axes_of(statement).reduced) {
    const bool is_inside =
        std::any_of(statement.loops.begin() + static_cast<std::ptrdiff_t>(lanes + 1), statement.loops.end(),
                    [&](const Loop* loop) { return loop->index == axis.index; });
    if (!is_inside) return;
  }
  if (statement.loops[lanes]->kind != LoopKind::serial) return;
  Proposal out = {expression, 1, {}};
  for (std::size_t at = lanes; at + 1 < loops; ++at) {
    const auto with = static_cast<std::int64_t>(at + 1);
    out.moves.push_back({"step", {loop_site({0}, at), {{"strategy", "loop_reorder"}, {"with", with}}}});
  }
  list.add(std::move(out));
}

}  // namespace

void propose_maps(View& view, std::uint32_t expression, ProposalList& list) {
  const Statement* statement = only_statement(view, expression);
  if (list.target().is_cpu()) {
    if (statement) propose_columns(*statement, expression, list);
    return;
  }
  if (statement && is_elementwise(*statement)) {
    const std::int64_t lanes = 16 / info(view.table().tensors.at(statement->equation->left->tensor).dtype).bytes;
    const std::int64_t width = std::min<std::int64_t>(lanes, 8);
    for (const std::int64_t threads : {128, 256, 512}) add_map(list, expression, threads, width, true);
    for (const std::int64_t threads : {128, 256}) add_map(list, expression, threads, 1, true);
    if (width > 1) add_map(list, expression, 256, width, false);
  }
  for (const std::int64_t threads : {256, 128, 64, 32}) add_map(list, expression, threads, 1, false);
  if (!statement || !statement->accumulates) return;
  // Sums of neighbours read vectors.
  for (const std::int64_t width : {4, 2, 8}) {
    for (const std::int64_t threads : {256, 64}) add_map(list, expression, threads, width, false);
  }
  // What is made of each sum becomes a part of its kernel.
  const Statement* next = only_statement(view, expression + 1);
  if (!next || !is_elementwise(*next)) return;
  for (const std::int64_t threads : {256, 64}) {
    list.add({expression,
              2,
              {planned_move("inline", 1, {{"form", "epilogue"}}),
               planned_move("map", 0, {{"threads", threads}, {"width", 1}, {"flat", 0}, {"rounds", 1}})}});
  }
}

}  // namespace steptp
