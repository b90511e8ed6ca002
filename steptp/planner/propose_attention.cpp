// Attention as one kernel: `flash`.
#include <algorithm>

#include "steptp/moves/attention_kernel.h"
#include "steptp/moves/parts.h"
#include "steptp/planner/proposals.h"

namespace steptp {

namespace {

struct Layout {
  std::int64_t threads;  ///< of a query
  std::int64_t rows;     ///< queries of a thread
  std::int64_t queries;  ///< of a block, at most
  std::int64_t keys;     ///< of a round, at most
  std::string_view scores;
  std::string_view staged;
};
constexpr Layout kGpuLayouts[] = {
    {16, 4, 64, 64, "keys", "queries"}, {8, 2, 32, 32, "keys", "queries"}, {16, 2, 32, 32, "keys", "queries"},
    {32, 4, 32, 64, "keys", "queries"}, {4, 1, 32, 16, "keys", "queries"}, {16, 1, 16, 32, "keys", "queries"},
    {1, 1, 128, 8, "keys", "keys"},     {1, 1, 64, 8, "keys", "queries"},  {1, 1, 64, 8, "keys", "outputs"},
};
constexpr Layout kCpuLayouts[] = {
    {1, 1, 32, 16, "keys", "queries"},
    {1, 1, 32, 16, "keys", "keys"},
    {1, 1, 32, 8, "keys", "outputs"},
    {16, 4, 64, 64, "keys", "queries"},
};

std::int64_t greatest_divisor(std::int64_t number, std::int64_t most) {
  for (std::int64_t i = std::min(number, most); i > 1; --i) {
    if (number % i == 0) return i;
  }
  return 1;
}

/// Where the attention begins: with its scores, or with what is inlined into them.
std::uint32_t first_of(View& view, const Program& inlined, const AttentionParts& parts) {
  const Equation* scores = nullptr;
  for (const Item& item : inlined.nests[parts.scores]->items) {
    if (const auto* equation = std::get_if<EquationPtr>(&item)) scores = equation->get();
  }
  const Statement* writer = scores ? only_writer(view, scores->left->tensor) : nullptr;
  if (!writer) return parts.scores;
  std::set<std::string> left;
  for_each_equation(inlined, [&](const Equation& equation, const auto&) { left.insert(equation.left->tensor); });
  std::uint32_t first = writer->items[0];
  while (first > 0) {
    const Statement* before = only_statement(view, first - 1);
    if (!before || left.contains(before->equation->left->tensor)) break;
    --first;
  }
  return first;
}

void add_layout(ProposalList& list, std::uint32_t first, std::uint32_t product, const AttentionParts& parts,
                const Layout& layout, std::int64_t following) {
  const std::int64_t queries = greatest_divisor(parts.queries, layout.queries);
  const std::int64_t keys = greatest_divisor(parts.keys, layout.keys);
  Proposal proposal;
  proposal.first = first;
  proposal.expressions = product - first + 1 + static_cast<std::uint32_t>(following);
  proposal.moves.push_back(planned_move("flash", product - first,
                                        {{"queries", queries},
                                         {"keys", keys},
                                         {"threads", layout.threads},
                                         {"rows", greatest_divisor(queries, layout.rows)},
                                         {"scores", std::string(layout.scores)},
                                         {"staged", std::string(layout.staged)},
                                         {"following", following}}));
  list.add(std::move(proposal));
}

}  // namespace

void propose_attention(View& view, std::uint32_t expression, ProposalList& list) {
  const Site site = item_site({expression});
  const Statement* statement = only_statement(view, expression);
  if (!statement || !statement->accumulates || !find_contraction(*statement)) return;
  MoveBuilder trial(view.program(), Tracking::off);
  const Handle& product = trial.follow(site);
  if (!inline_copies_of_attention(trial, product) || !product.only()) return;
  const auto parts = find_attention_parts(trial.view(), *product.only());
  if (!parts) return;
  const std::int64_t copies = copies_behind(trial.view(), *parts);
  const std::uint32_t first = first_of(view, trial.program(), *parts);
  const bool is_cpu = list.target().is_cpu();
  for (std::int64_t following = copies; following >= 0; following -= std::max<std::int64_t>(1, copies)) {
    for (const Layout& layout : is_cpu ? std::span<const Layout>(kCpuLayouts) : std::span<const Layout>(kGpuLayouts)) {
      add_layout(list, first, expression, *parts, layout, following);
    }
  }
}

}  // namespace steptp
