#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steptp::cli {

/// The word that was probably meant: the one in which the fewest letters have to be changed. Empty where even that one
/// is another word.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

/// "did you mean plain-cpu? ", of names with blanks between them; empty where none was.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::string_view known);

}  // namespace steptp::cli
