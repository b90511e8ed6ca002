#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steptp::dataset {

/// Where a type of the zoo comes from: "kernelbench/level1/12" for the tasks of KernelBench, otherwise "zoo".
[[nodiscard]] std::string origin_of(std::string_view type);

/// Whether an origin is one of these or below one: "kernelbench" excludes "kernelbench/level1/12".
[[nodiscard]] bool is_excluded(std::string_view origin, const std::vector<std::string>& prefixes);

}  // namespace steptp::dataset
