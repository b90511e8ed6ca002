#pragma once

#include <string>
#include <vector>

#include "replay/search.h"

namespace steptp::replayer {

struct ConditionRounds {
  std::vector<Iteration> rounds;
  /// A condition of which neither a round was found in which it holds, or fails, nor that there is none; empty: none.
  std::string undecided;
};
/// Rounds of a statement at which a condition on indices, in a guard or on the right side, holds, and others at which
/// it does not, each by the ways that lead to the condition: the first and the last, found by halving boxes of loops,
/// so that one round of a billion is found as soon as any other.
[[nodiscard]] ConditionRounds rounds_of_conditions(const Layout& layout, const Statement& statement);

}  // namespace steptp::replayer
