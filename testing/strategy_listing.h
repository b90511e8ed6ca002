#pragma once

#include "steptp/recipe/measurements.h"

namespace steptp::testing {

/// What every strategy offers on the programs of the zoo at their default shapes, without extended choices: `zoo`, and
/// `types` and choices of each strategy.
[[nodiscard]] StrategyMeasurements list_on_zoo();

/// Adds to `reached` the types of which a state offers a choice that a few steps from the program at its default shape
/// lead to: inlining, which makes expressions larger, and one drawn walk through all strategies. Nothing is judged.
void add_reached(StrategyMeasurements& measured);

/// Names in the order of the zoo, without those of `types` and without others.
[[nodiscard]] std::vector<std::string> in_order_of_zoo(const StrategyMeasurements& measured,
                                                       const std::vector<std::string>& types,
                                                       const std::vector<std::string>& names);

}  // namespace steptp::testing
