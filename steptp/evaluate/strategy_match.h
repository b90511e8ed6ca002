#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {

/// Whether strategies lead where an answer says they do.
enum class StrategyMatch : std::uint8_t {
  yes,
  no,       ///< every choice was tried, and none gives that program
  unknown,  ///< a name that is none of ours, or more choices than were to be tried
};

struct StrategyMatchLimits {
  std::uint64_t applications = 12000;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  /// Only choices that are worth showing count (reasoning/worth_showing.h), and results are compared by their written
  /// forms (ir/forms.h), so that the order of operands does not matter.
  bool only_worth_showing = false;
};

/// Applies the strategies in the order given, each with its choices (extended ones included), and compares the results
/// with `after` up to renaming. Places in expressions that `after` has not come first, published choices before
/// extended ones, and of many choices at one place those whose numbers stand in `after`.
[[nodiscard]] StrategyMatch match_strategies(const Program& before, const Program& after,
                                             const std::vector<std::string>& strategies,
                                             const StrategyMatchLimits& limits);

}  // namespace steptp
