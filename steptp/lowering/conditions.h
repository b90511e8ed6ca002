#pragma once

#include <vector>

#include "steptp/lowering/arrangement.h"

namespace steptp::lowering {

/// The condition with another one for each comparison, free of the loop's index, where every comparison says the same
/// in all iterations: a*4+c<32 is a*4<32 for each c below 4, because a*4 is no number between 29 and 31. Null where one
/// does not, and where the condition reads data.
[[nodiscard]] ValuePtr free_of(const ValuePtr& condition, const Loop& loop);

/// The same nodes with the conditions of guards and selections free of the indices of loops in one thread, where they
/// say the same in all iterations, and such guards outside of these loops: they are asked once, and what stands inside
/// can move as vectors. Splits that leave a rest, and copies that are filled up, put such conditions into loops over
/// lanes. Decision 0087.
[[nodiscard]] std::vector<Node> with_conditions_outside(const std::vector<Node>& nodes);
/// Only the guards.
[[nodiscard]] std::vector<Node> with_guards_outside(const std::vector<Node>& nodes);

}  // namespace steptp::lowering
