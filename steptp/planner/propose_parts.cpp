// Small results of long sums: blocks make parts of the sums, which a second kernel folds in their order, together with
// what is made of each.
#include "steptp/moves/parts.h"
#include "steptp/planner/proposals.h"

namespace steptp {

void propose_parts(View& view, std::uint32_t expression, std::int64_t length, std::int64_t following,
                   const PlannedMove& product, ProposalList& list) {
  const PlannedMove parts = planned_move("parts", 0, {{"length", length}});
  // Everything behind it in the kernel that folds.
  if (following > 0) {
    Proposal joined{expression, static_cast<std::uint32_t>(following) + 1, {parts}};
    joined.moves.push_back(planned_move("join", 1,
                                        {{"expressions", following + 1},
                                         {"axes", std::int64_t{1}},
                                         {"rows", std::int64_t{1}},
                                         {"threads", std::int64_t{128}},
                                         {"sums", "plain"}}));
    joined.moves.push_back(product);
    list.add(std::move(joined));
  }
  const Statement* next = only_statement(view, expression + 1);
  for (const bool with_next : {true, false}) {
    if (with_next && (!next || !is_elementwise(*next))) continue;
    Proposal mapped{expression, with_next ? 2U : 1U, {parts}};
    if (with_next) mapped.moves.push_back(planned_move("inline", 2, {{"form", "epilogue"}}));
    mapped.moves.push_back(planned_move("map", 1, {{"threads", 64}, {"width", 1}, {"flat", 0}, {"rounds", 1}}));
    mapped.moves.push_back(product);
    list.add(std::move(mapped));
  }
}

}  // namespace steptp
