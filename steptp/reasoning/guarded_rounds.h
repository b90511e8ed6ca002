#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {

/// How many iterations of the loops pass all guards: those over the loops that guards mention are looked at one by one.
/// Nothing where a guard asks for more than integers and indices, there are too many to look at, or beyond 63 bits.
[[nodiscard]] std::optional<std::int64_t> iterations_that_pass(const std::vector<const Loop*>& loops,
                                                               const std::vector<ExprPtr>& guards);

}  // namespace steptp
