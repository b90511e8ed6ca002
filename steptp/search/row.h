#pragma once

// What a search says of itself: one row for each program. docs/search.md names the columns.

#include <string>

#include "steptp/search/settings.h"

namespace steptp::search {

/// Times of other programs for the same work, in seconds, from a file of baselines: {"vanilla","eager","eager_graph",
/// "compile","compile_graph","vendor"}; null or missing where there is none.
struct RowContext {
  std::string id;
  Json baseline;
};

[[nodiscard]] Json row_of(const Document& root, const SearchSettings& settings, const SearchResult& result,
                          const RowContext& context = {});

/// What became of all candidates, in the order of the words, those that occurred.
[[nodiscard]] Json outcomes_of(const SearchResult& result);
/// The steps from the root to the winner: {"edge","outcome","seconds","speedup"}.
[[nodiscard]] Json path_of(const SearchResult& result);
/// The plan of a node that has one.
[[nodiscard]] Plan plan_of_node(const Document& root, const SearchSettings& settings, const Node& node);
/// The recipe of the winner; null where its programs were written and not derived.
[[nodiscard]] Json recipe_of(const Document& root, const SearchSettings& settings, const SearchResult& result);

}  // namespace steptp::search
