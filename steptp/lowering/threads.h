#pragma once

#include <optional>
#include <vector>

#include "steptp/lowering/arrangement.h"

namespace steptp::lowering {

/// The axis of a bound loop.
[[nodiscard]] std::optional<Axis> axis_of_loop(const Loop& loop);

/// The hardware axes along which several blocks or threads of one launch may accumulate into one element: what makes a
/// statement a collective. Empty for a statement that does not accumulate. May name an axis too many, never too few.
[[nodiscard]] std::vector<Axis> reduced_axes(const AccessTable& table, std::size_t statement);

/// Whether two threads of a block may touch one element of `s` or `g`, one in the first statement and another in the
/// second, and one of them writes: then a barrier has to stand between the items that hold them. The statements may be
/// one, in different rounds of a loop.
[[nodiscard]] bool share_data(const AccessTable& table, std::size_t first, std::size_t second);

}  // namespace steptp::lowering
