#pragma once

#include "steptp/strategies/strategy.h"

namespace steptp::dataset {

/// Whether anybody would show the step: no copy of a single element that is used once, no step that makes many launches
/// of one.
[[nodiscard]] bool is_worth_showing(const Strategy& strategy, const Program& before, const Applied& applied);

}  // namespace steptp::dataset
