#pragma once

// Moves that are a single step of a strategy which the choice names: what `step` and `algebra` have in common.

#include <optional>

#include "steptp/moves/builder.h"

namespace steptp {

/// Every choice of each strategy that `is_meant`, with the name of the strategy as the first parameter.
void offer_single_steps(View& view, Listing& listing, bool (*is_meant)(const Strategy&));

/// Makes the step of the strategy that the parameter `strategy` names, with the other parameters.
[[nodiscard]] std::optional<Refusal> make_single_step(MoveBuilder& builder, const Choice& choice);

}  // namespace steptp
