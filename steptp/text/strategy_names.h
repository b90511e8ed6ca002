#pragma once

#include <string>
#include <vector>

namespace steptp {

/// The public names of the 43 strategies, in the order of the published table: graph, loop, memory, mathematical.
/// An answer names one of them. The registry of strategies is checked against this list.
[[nodiscard]] const std::vector<std::string>& strategy_names();

}  // namespace steptp
