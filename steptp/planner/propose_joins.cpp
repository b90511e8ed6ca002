// Folds up to each place by `scan`, and runs of neighbours under one block loop by `join`.
#include <algorithm>

#include "steptp/ir/dtype_facts.h"
#include "steptp/moves/joint_blocks.h"
#include "steptp/moves/parts.h"
#include "steptp/planner/proposals.h"

namespace steptp {

namespace {

constexpr std::size_t kMostExpressions = 8;
constexpr std::size_t kMostAxes = 3;

bool folds_halves(View& view, std::uint32_t expression, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Statement* statement = only_statement(view, expression + static_cast<std::uint32_t>(i));
    if (!statement || !statement->accumulates) continue;
    if (is_narrow_float(view.table().tensors.at(statement->equation->left->tensor).dtype)) return true;
  }
  return false;
}

/// On a CPU the threads of a block run one after the other, so that a product is summed number by number: `tile` makes
/// vectors of it.
bool is_for_tiles(View& view, std::uint32_t expression) {
  const Statement* statement = only_statement(view, expression);
  return statement && find_contraction(*statement);
}

}  // namespace

void propose_scans(View& view, std::uint32_t expression, ProposalList& list) {
  const Statement* statement = only_statement(view, expression);
  if (!statement || !statement->accumulates || axes_of(*statement).reduced.size() != 1) return;
  bool chooses = false;
  const auto look = [&](const auto& self, const ExprPtr& expr) -> void {
    chooses = chooses || std::holds_alternative<Select>(expr->node);
    for (const ExprPtr* child : children(*expr)) self(self, *child);
  };
  look(look, statement->equation->right);
  if (!chooses) return;
  const bool is_cpu = list.target().is_cpu();
  for (const std::int64_t part : {0, 8, 16, 32, 64}) {
    if (is_cpu && part != 0) continue;
    for (const std::int64_t rows : {1, 4, 32, 128}) {
      for (const std::int64_t keep : {1, 0}) {
        if (part == 0 && (keep == 1 || rows == 1)) continue;
        list.add("scan", expression, 1, {{"part", part}, {"rows", rows}, {"keep", keep}});
      }
    }
  }
}

void propose_joins(View& view, std::uint32_t expression, ProposalList& list) {
  const std::size_t all = view.program().nests.size();
  std::size_t most = 1;
  const bool is_cpu = list.target().is_cpu();
  if (is_cpu && is_for_tiles(view, expression)) return;
  while (most < kMostExpressions && expression + most < all && find_joint_blocks(view, expression, most + 1)) {
    if (is_cpu && is_for_tiles(view, expression + static_cast<std::uint32_t>(most))) break;
    ++most;
  }
  for (std::size_t count = most; count >= 2; --count) {
    const auto found = find_joint_blocks(view, expression, count);
    if (!found) continue;
    const std::string sums = folds_halves(view, expression, count) ? "wide" : "plain";
    for (std::size_t axes = std::min(found->extents.size(), kMostAxes); axes >= 1; --axes) {
      for (const std::int64_t rows : {1, 4}) {
        if (rows > found->extents[axes - 1]) continue;
        list.add("join", expression, static_cast<std::uint32_t>(count),
                 {{"expressions", static_cast<std::int64_t>(count)},
                  {"axes", static_cast<std::int64_t>(axes)},
                  {"rows", rows},
                  {"threads", 128},
                  {"sums", sums}});
      }
    }
  }
}

}  // namespace steptp
