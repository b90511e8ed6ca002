#pragma once

#include <string>

#include "steptp/recipe/measurements.h"

namespace steptp {

/// The page docs/strategies.md: what the strategies say of themselves, and what was measured of them.
[[nodiscard]] std::string strategies_page(const StrategyMeasurements& measured);

}  // namespace steptp
