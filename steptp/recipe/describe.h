#pragma once

#include <string>

#include "steptp/base/json.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

/// All that a strategy says of itself.
[[nodiscard]] Json to_json(const Strategy& strategy);
/// Picture, reason, preconditions, parameters and an example, for people.
[[nodiscard]] std::string explain(const Strategy& strategy);
/// "1.2"
[[nodiscard]] std::string score_text(const Strategy& strategy);

}  // namespace steptp
