#include "cli/nearest.h"

#include <cstddef>

#include "steptp/base/edit_distance.h"
#include "steptp/base/text.h"

namespace steptp::cli {

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  constexpr std::size_t kLongest = 32;  // nobody means a verb by a longer word
  if (word.size() > kLongest) return {};
  std::string_view best;
  std::size_t least = 3;
  for (const std::string_view candidate : known) {
    const bool is_part = word.size() > 3 && candidate.find(word) != std::string_view::npos;
    const bool begun = is_part || (!word.empty() && candidate.starts_with(word));
    const std::size_t changes = begun ? 0 : edit_distance(word, candidate);
    if (changes < least && changes < candidate.size()) {
      least = changes;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::string_view known) {
  std::vector<std::string_view> names;
  for (std::string_view rest = known; !rest.empty();) {
    const std::size_t end = rest.find(' ');
    names.push_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  const std::string_view meant = nearest(word, names);
  return meant.empty() || meant == word ? std::string() : concat("did you mean ", meant, "? ");
}

}  // namespace steptp::cli
