#include "steptp/text/hints.h"

#include <string_view>

namespace steptp {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// `?{c}` becomes `?(c)`.
void reword_guards(std::string& text) {
  for (std::size_t at = text.find("?{"); at != std::string::npos; at = text.find("?{", at)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) return;
    text[at + 1] = '(';
    text[end] = ')';
  }
}

/// `^{f32,l}` becomes `^l`: the dtype is that of the declaration.
void reword_marks(std::string& text) {
  for (std::size_t at = text.find("^{"); at != std::string::npos; at = text.find("^{", at + 1)) {
    const std::size_t comma = text.find(',', at);
    const std::size_t end = text.find('}', at);
    if (comma == std::string::npos || end == std::string::npos || comma > end) continue;
    text = text.substr(0, at + 1) + text.substr(comma + 1, end - comma - 1) + text.substr(end + 1);
  }
}

}  // namespace

std::string hint_in(Profile profile, std::string hint) {
  if (profile == Profile::paper) return hint;
  replace_all(hint, "if_then_else", "where");
  reword_guards(hint);
  reword_marks(hint);
  return hint;
}

}  // namespace steptp
