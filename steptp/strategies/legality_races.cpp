// Races that a step would bring in.
#include <algorithm>

#include "steptp/analysis/races.h"
#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"

namespace steptp {

namespace {

bool runs_concurrently(const Nest& nest) {
  const auto concurrent = [](const Loop& loop) {
    return loop.kind != LoopKind::serial && loop.kind != LoopKind::unrolled && loop.extent > 1;
  };
  if (std::any_of(nest.loops.begin(), nest.loops.end(), concurrent)) return true;
  return std::any_of(nest.items.begin(), nest.items.end(), [](const Item& item) {
    const auto* inner = std::get_if<NestPtr>(&item);
    return inner && runs_concurrently(**inner);
  });
}

}  // namespace

std::optional<Conflict> race_conflict(View& before, View& after, std::uint32_t expression) {
  const Program& program = after.program();
  if (!runs_concurrently(*program.nests[expression])) return std::nullopt;
  // Without data in `s` and `l` the rest of the program plays no part: one nest is a program of its own.
  const bool alone = !before.has_scoped_data();
  Program nest;
  if (alone) nest.nests = {program.nests[expression]};
  View nest_alone(nest);
  View& view = alone ? nest_alone : after;
  const std::uint32_t number = alone ? 0 : expression;
  for (const Race& race : find_races(view.table(), alone ? before.facts() : after.facts(), {number, true})) {
    if (race.kind == Race::Kind::redundant) continue;
    std::string_view why = "threads of a block touch one element without a barrier between";
    if (race.way.kind == Concurrency::Kind::blocks) why = "blocks of a launch touch one element";
    if (race.way.kind == Concurrency::Kind::iterations) {
      why = "iterations that may run at the same time touch one element";
    }
    Conflict conflict{race.write->site, race.other->site, concat(race.write->ref->tensor, ": ", why)};
    conflict.first.items[0] = conflict.second.items[0] = expression;
    return conflict;
  }
  return std::nullopt;
}

}  // namespace steptp
