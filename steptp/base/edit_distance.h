#pragma once

#include <cstddef>
#include <string_view>

namespace steptp {

/// How many letters have to be put in, taken out or exchanged to make one word of the other (Levenshtein).
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

}  // namespace steptp
