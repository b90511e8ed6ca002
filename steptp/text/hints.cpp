#include "steptp/text/hints.h"

#include <string_view>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::string_view kNamesHaveNoDigits = "a tensor's name is a capital and small letters, without digits: Ka";

/// K1: a digit right behind a letter.
bool is_digit_of_name(std::string_view before, char next) {
  const char last = before.empty() ? ' ' : before.back();
  const bool is_letter = (last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z');
  return is_letter && next >= '0' && next <= '9';
}

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

std::string_view hint_after_equation(std::string_view before, char next) {
  if (next == ')' || next == '}' || next == ']') return "a closing bracket too many";
  if (next == '^') return "powers are written x**y";
  if (next == '?') return "a choice is written if_then_else(condition,x,y)";
  return is_digit_of_name(before, next) ? kNamesHaveNoDigits : std::string_view();
}

std::string_view hint_after_left(Profile profile, std::string_view before, std::string_view next) {
  const bool is_compact = profile == Profile::compact;
  if (next.starts_with('[') || (next.starts_with('(') && !is_compact)) {
    return is_compact ? "subscripts stand in round brackets: D(tx)" : "subscripts are written D^{f32,g}_{tx}";
  }
  if (!next.empty() && is_digit_of_name(before, next[0])) return kNamesHaveNoDigits;
  if (next.starts_with("-=")) return "there is no -=: write X=X-y";
  if (next.starts_with("*=")) return "there is no *=: write X=X*y";
  if (next.starts_with("/=")) return "there is no /=: write X=X/y";
  return next.starts_with("+=") ? "X+=y belongs to the compact spelling: write X=X+y" : "";
}

}  // namespace steptp
