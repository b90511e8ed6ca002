#pragma once

#include "steptp/strategies/strategy.h"

namespace steptp {

/// Whether anybody would show the step, and a reward pay it. None is: one that keeps the plain form (ir/forms.h), but
/// for the removal of dead code; a copy of a single element that is used once; a layout or a header in which everything
/// keeps its order; a loop that goes from one hardware axis to another or to none; threads of which more are masked
/// than a full warp asks for; tiles that leave much of the last one unused, or that a person would not choose; many
/// launches in the place of one.
[[nodiscard]] bool is_worth_showing(const Strategy& strategy, const Program& before, const Choice& choice,
                                    const Applied& applied);

}  // namespace steptp
