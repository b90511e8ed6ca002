#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace steptp {

/// The two spellings of one tree: `paper` is the published text, `compact` the short one (docs/language.md R16, R17).
enum class Profile : std::uint8_t { paper, compact };

[[nodiscard]] constexpr std::string_view name_of(Profile profile) {
  return profile == Profile::paper ? "paper" : "compact";
}
[[nodiscard]] constexpr std::optional<Profile> parse_profile(std::string_view text) {
  if (text == "paper") return Profile::paper;
  if (text == "compact") return Profile::compact;
  return std::nullopt;
}

}  // namespace steptp
