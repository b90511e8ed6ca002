#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace steptp {

namespace detail {
inline void append_one(std::string& out, std::string_view part) { out.append(part); }
inline void append_one(std::string& out, char part) { out.push_back(part); }
void append_integer(std::string& out, std::int64_t part);
void append_integer(std::string& out, std::uint64_t part);
template <typename Integer>
requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, char> &&
         !std::is_same_v<Integer, bool>) void append_one(std::string& out, Integer part) {
  if constexpr (std::is_signed_v<Integer>) {
    append_integer(out, static_cast<std::int64_t>(part));
  } else {
    append_integer(out, static_cast<std::uint64_t>(part));
  }
}
}  // namespace detail

/// Appends the parts: strings, characters, integers.
template <typename... Parts>
void append(std::string& out, const Parts&... parts) {
  (detail::append_one(out, parts), ...);
}

/// One string out of strings, characters and integers.
template <typename... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
  std::string out;
  append(out, parts...);
  return out;
}

/// The items of a range joined by a separator; `to_text(item)` gives each item's text.
template <typename Range, typename ToText>
[[nodiscard]] std::string join(const Range& range, std::string_view separator, ToText to_text) {
  std::string out;
  bool first = true;
  for (const auto& item : range) {
    if (!first) out.append(separator);
    first = false;
    append(out, to_text(item));
  }
  return out;
}

}  // namespace steptp
