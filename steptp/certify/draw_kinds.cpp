#include "steptp/certify/draw_kinds.h"

#include <algorithm>

namespace steptp::certify {

bool is_wanted(DrawKind kind, const JudgedPair& pair, bool asks_order) {
  const Code& before = pair.before;
  const Code& after = pair.after;
  const bool has_divisions = before.has_divisions || after.has_divisions;
  switch (kind) {
    case DrawKind::generic:
    case DrawKind::line: return true;
    case DrawKind::zeros: return asks_order || has_divisions || before.has_functions || after.has_functions;
    case DrawKind::thresholds: return asks_order || has_divisions;
    case DrawKind::huge: return asks_order || before.has_roots || after.has_roots;
    case DrawKind::positive:
    case DrawKind::negative:
    case DrawKind::ties:
    case DrawKind::large:
    case DrawKind::wide:
    case DrawKind::tiny:
    case DrawKind::below:
    case DrawKind::above:
    case DrawKind::rising:
    case DrawKind::falling: return asks_order;
    // Where ways are missing, where there are peaks, and for `safe`.
    case DrawKind::solved:
    case DrawKind::peak:
    case DrawKind::dip:
    case DrawKind::masked_first:
    case DrawKind::masked:
    case DrawKind::hidden:
    case DrawKind::pattern: return false;
    case DrawKind::first_index:
    case DrawKind::last_index: return pair.has_integer_inputs();
  }
  return true;
}

std::uint64_t seeds_of(DrawKind kind, const InputModel& model) {
  // In a single one, chance may hide what the draw is for.
  constexpr std::uint64_t kSeeds = 3;
  constexpr std::uint64_t kSeedsOfAThreshold = 12;
  constexpr std::uint64_t kSeedsOfTies = 64;
  constexpr std::uint64_t kMost = 96;
  if (kind == DrawKind::zeros) return 1;
  if (kind == DrawKind::ties) return kSeedsOfTies;
  if (kind != DrawKind::thresholds) return kSeeds;
  return std::clamp<std::uint64_t>(kSeedsOfAThreshold * model.thresholds.size(), kSeeds, kMost);
}

std::uint32_t least_trials(const JudgedPair& pair) {
  constexpr std::uint32_t kTrialsOfIntegers = 40;
  return pair.has_free_integers() ? std::max(kTrialsOfIntegers, pair.options.trials) : pair.options.trials;
}

}  // namespace steptp::certify
