#pragma once

// Plans as proposers compare them.

#include <set>
#include <string>
#include <vector>

#include "steptp/search/tree.h"

namespace steptp::search {

/// Equal for plans that make the same moves in the same groups.
[[nodiscard]] std::string text_of(const WholePlan& plan);
/// Plans that this search has proposed before, whatever became of them.
[[nodiscard]] std::set<std::string> plans_proposed_before(const Tree& tree);
/// Moves that a plan is made of, by name: what its strategies are.
[[nodiscard]] std::vector<std::string> moves_of(const WholePlan& plan);

}  // namespace steptp::search
