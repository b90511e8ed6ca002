#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace steptp {

/// The first JSON object or array of a text that may have other words around it.
struct FoundJson {
  std::string json;  ///< line breaks and tabs inside of strings are escaped, as JSON wants them
  bool has_text_before = false;
  bool has_text_behind = false;
  bool has_raw_breaks = false;
};

/// Looks for `{"`, `[{` or an empty pair of brackets, and for the bracket that ends it. Nothing where the text has
/// none, or ends inside of it.
[[nodiscard]] std::optional<FoundJson> find_json(std::string_view text);

/// Whether the text has the beginning of such a value: then find_json found nothing because it has no end.
[[nodiscard]] bool begins_json(std::string_view text);

}  // namespace steptp
