#include "steptp/text/hints.h"

#include <string_view>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::string_view kNamesHaveNoDigits = "a tensor's name is a capital and small letters, without digits: Ka";

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

/// `^{f32,l}` becomes `^l`: the dtype is that of the declaration. `^{f16,g}` speaks of the dtype: it becomes `^f16`.
void reword_marks(std::string& text) {
  for (std::size_t at = text.find("^{"); at != std::string::npos; at = text.find("^{", at + 1)) {
    const std::size_t comma = text.find(',', at);
    const std::size_t end = text.find('}', at);
    if (comma == std::string::npos || end == std::string::npos || comma > end) continue;
    const std::string dtype = text.substr(at + 2, comma - at - 2);
    const std::string scope = text.substr(comma + 1, end - comma - 1);
    if (scope != "g") {
      text = text.substr(0, at + 1) + scope + text.substr(end + 1);
      continue;
    }
    text = concat(text.substr(0, at + 1), dtype, text.substr(end + 1));
    if (dtype != "f32") append(text, ", or begin the text with ^", dtype, ";");
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

std::string_view hint_after_equation(char next) {
  constexpr std::string_view kDigits = "0123456789";
  if (next == ')' || next == '}' || next == ']') return "a closing bracket too many";
  if (next == '^') return "powers are written x**y";
  if (next == '?') return "a choice is written if_then_else(condition,x,y)";
  if (next != '\0' && kDigits.find(next) != std::string_view::npos) return kNamesHaveNoDigits;
  return {};
}

std::string_view hint_after_left(Profile profile, char next, char after_next) {
  constexpr std::string_view kDigits = "0123456789";
  const bool is_compact = profile == Profile::compact;
  if (next == '[' || (next == '(' && !is_compact)) {
    return is_compact ? "subscripts stand in round brackets: D(tx)" : "subscripts are written D^{f32,g}_{tx}";
  }
  if (next != '\0' && kDigits.find(next) != std::string_view::npos) return kNamesHaveNoDigits;
  if (after_next != '=') return {};
  if (next == '-') return "there is no -=: write X=X-y";
  if (next == '*') return "there is no *=: write X=X*y";
  if (next == '/') return "there is no /=: write X=X/y";
  return next == '+' ? "X+=y belongs to the compact spelling: write X=X+y" : "";
}

}  // namespace steptp
