#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "steptp/moves/move.h"

namespace steptp {

/// The moves that the build found in steptp/moves/catalogue/, by name. Generated.
[[nodiscard]] std::vector<const Move*> registered_moves();

/// All moves, by name.
[[nodiscard]] const std::vector<const Move*>& all_moves();
/// Null where there is none of that name.
[[nodiscard]] const Move* find_move(std::string_view name);
/// "unknown move 'inlin'"
[[nodiscard]] std::string unknown_move(std::string_view name);

}  // namespace steptp
