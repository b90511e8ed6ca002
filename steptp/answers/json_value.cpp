#include "steptp/answers/json_value.h"

namespace steptp {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// The first character behind `at` that is no blank; 0 at the end.
char next_after(std::string_view text, std::size_t at) {
  const std::size_t next = text.find_first_not_of(kBlanks, at + 1);
  return next == std::string_view::npos ? '\0' : text[next];
}

/// Prose and LEIR have brackets too, so what stands behind one counts.
std::size_t beginning_of_json(std::string_view text) {
  for (std::size_t at = text.find_first_of("{["); at != std::string_view::npos; at = text.find_first_of("{[", at + 1)) {
    const char next = next_after(text, at);
    if (text[at] == '{' ? next == '"' || next == '}' : next == '{' || next == ']') return at;
  }
  return std::string_view::npos;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(kBlanks) == std::string_view::npos; }

}  // namespace

bool begins_json(std::string_view text) { return beginning_of_json(text) != std::string_view::npos; }

std::optional<FoundJson> find_json(std::string_view text) {
  const std::size_t begin = beginning_of_json(text);
  if (begin == std::string_view::npos) return std::nullopt;
  FoundJson out;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\n' || c == '\r' || c == '\t') {
        out.has_raw_breaks = true;
        out.json += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
        continue;
      }
      out.json += c;
      if (c == '\\' && at + 1 < text.size()) {
        out.json += text[++at];
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    out.json += c;
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) {
      out.has_text_before = !is_blank(text.substr(0, begin));
      out.has_text_behind = !is_blank(text.substr(at + 1));
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace steptp
