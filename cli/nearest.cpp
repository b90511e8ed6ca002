#include "cli/nearest.h"

#include <algorithm>
#include <cstddef>

namespace steptp::cli {

namespace {

/// How many letters to insert, remove or replace (Levenshtein), row by row.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t k = 0; k < to.size(); ++k) {
      const std::size_t replaced = diagonal + (from[i] == to[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  constexpr std::size_t kLongest = 32;  // nobody means a verb by a longer word
  if (word.size() > kLongest) return {};
  std::string_view best;
  std::size_t least = 3;
  for (const std::string_view candidate : known) {
    const bool begun = !word.empty() && candidate.starts_with(word);
    const std::size_t changes = begun ? 0 : distance(word, candidate);
    if (changes < least && changes < candidate.size()) {
      least = changes;
      best = candidate;
    }
  }
  return best;
}

}  // namespace steptp::cli
