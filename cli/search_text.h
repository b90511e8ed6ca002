#pragma once

#include <string>

#include "steptp/search/settings.h"

namespace steptp::cli {

/// "12.3 times as fast"
[[nodiscard]] std::string times_text(double ratio);
/// What a search found, in a few lines.
[[nodiscard]] std::string search_summary(const std::string& name, const search::SearchSettings& settings,
                                         const search::SearchResult& result);
/// Every node in its place below its parent.
[[nodiscard]] std::string tree_text(const search::SearchResult& result);

}  // namespace steptp::cli
