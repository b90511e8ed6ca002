#include "steptp/planner/prepare.h"

#include <utility>

#include "steptp/moves/parts.h"
#include "steptp/moves/window_match.h"
#include "steptp/planner/proposals.h"
#include "steptp/plans/registry.h"

namespace steptp {

namespace {

/// How many times an element may be computed again, when it takes a function such as exp, and when it does not.
constexpr std::int64_t kMostCalls = 4;
constexpr std::int64_t kMostRepeats = 32;

bool has_function(const ExprPtr& expr) {
  if (std::holds_alternative<Call>(expr->node) || std::holds_alternative<Power>(expr->node)) return true;
  for (const ExprPtr* child : children(*expr)) {
    if (has_function(*child)) return true;
  }
  return false;
}

/// Whether every reader may have the producer inside, and computes no element too often.
bool is_worth_inlining(View& view, const Statement& producer) {
  if (!producer.guards.empty() || producer.items.size() != 2) return false;
  const std::string& tensor = producer.equation->left->tensor;
  if (!is_intermediate(view, tensor) || only_writer(view, tensor) != &producer) return false;
  const std::int64_t elements = iterations(loops_around(producer));
  const std::int64_t most = has_function(producer.equation->right) ? kMostCalls : kMostRepeats;
  std::int64_t reads = 0;
  for (const Statement* reader : readers_of(view, tensor)) {
    if (find_contraction(*reader)) return false;
    reads += iterations(loops_around(*reader)) / std::max<std::int64_t>(1, elements);
    if (reads > most) return false;
  }
  return true;
}

/// The number of an expression that goes into its readers; nothing where there is none behind `from`.
std::optional<std::uint32_t> next_producer(const Program& program, std::uint32_t from) {
  View view(program);
  for (std::uint32_t i = from; i + 1 < program.nests.size(); ++i) {
    const Statement* statement = only_statement(view, i);
    if (statement && is_elementwise(*statement) && is_worth_inlining(view, *statement)) return i;
  }
  return std::nullopt;
}

/// A tensor that is chosen from another one or is a number, for convolutions.
bool is_padded_image(View& view, const Statement& producer) {
  if (!producer.guards.empty() || producer.items.size() != 2) return false;
  const std::string& tensor = producer.equation->left->tensor;
  if (!is_intermediate(view, tensor) || only_writer(view, tensor) != &producer) return false;
  const auto* select = std::get_if<Select>(&producer.equation->right->node);
  if (!select || !std::holds_alternative<Read>(select->if_true->node)) return false;
  if (!std::holds_alternative<Literal>(select->if_false->node)) return false;
  for (const Statement* reader : readers_of(view, tensor)) {
    const Site site = item_site({reader->items[0]});
    if (!find_window_product(view, site, 0) && !find_window_halo(view, site, 0)) return false;
  }
  return true;
}

}  // namespace

std::optional<PreparedProgram> form_without_padded_images(const PreparedProgram& inlined) {
  PreparedProgram out = inlined;
  const Move& inline_move = *find_move("inline");
  for (std::uint32_t i = 0; i + 1 < out.program.nests.size();) {
    View view(out.program);
    const Statement* statement = only_statement(view, i);
    std::optional<Moved> made;
    const PlannedMove move = planned_move("inline", i, {{"form", "producer"}});
    if (statement && is_elementwise(*statement) && is_padded_image(view, *statement)) {
      if (auto moved = apply(inline_move, out.program, move.choice, Tracking::off)) made = std::move(moved).value();
    }
    if (!made) {
      ++i;
      continue;
    }
    out.program = std::move(made->program);
    out.moves.push_back(move);
  }
  if (out.moves.size() == inlined.moves.size()) return std::nullopt;
  return out;
}

std::vector<PreparedProgram> prepared_forms(const Program& root) {
  std::vector<PreparedProgram> out = {{{}, root}};
  PreparedProgram inlined = out.front();
  const Move& inline_move = *find_move("inline");
  for (std::uint32_t from = 0;;) {
    const auto producer = next_producer(inlined.program, from);
    if (!producer) break;
    const PlannedMove move = planned_move("inline", *producer, {{"form", "producer"}});
    auto made = apply(inline_move, inlined.program, move.choice, Tracking::off);
    from = made ? *producer : *producer + 1;  // the readers of what went away may go away as well
    if (!made) continue;
    inlined.program = std::move(made->program);
    inlined.moves.push_back(move);
  }
  if (!inlined.moves.empty()) out.push_back(std::move(inlined));
  return out;
}

}  // namespace steptp
