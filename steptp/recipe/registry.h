#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "steptp/strategies/strategy.h"

namespace steptp {

/// The strategies that the build found in steptp/strategies/*/, by name. Generated.
[[nodiscard]] std::vector<const Strategy*> registered_strategies();

/// All strategies in the order of the published table, helpers outside it (dead_code_elimination) behind.
[[nodiscard]] const std::vector<const Strategy*>& all_strategies();
/// Null where there is none of that name.
[[nodiscard]] const Strategy* find_strategy(std::string_view name);
/// One of the 43.
[[nodiscard]] bool is_published(const Strategy& strategy);

}  // namespace steptp
