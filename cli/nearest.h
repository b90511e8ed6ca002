#pragma once

#include <string_view>
#include <vector>

namespace steptp::cli {

/// The word that was probably meant: the one in which the fewest letters have to be changed. Empty where even that one
/// is another word.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace steptp::cli
