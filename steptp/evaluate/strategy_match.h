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
  std::uint64_t applications = 4000;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  /// Results are compared by their plain forms (ir/forms.h) too, so that the order of operands does not matter.
  bool up_to_plain_form = false;
};

/// Applies the strategies in the order given, each with every choice (extended ones included), and compares the results
/// with `after` up to renaming. Where a place has many choices, those come first whose numbers stand in `after`.
[[nodiscard]] StrategyMatch match_strategies(const Program& before, const Program& after,
                                             const std::vector<std::string>& strategies,
                                             const StrategyMatchLimits& limits);

}  // namespace steptp
