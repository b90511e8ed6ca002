#include "testing/shorthand.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp::testing {

namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// Reads the body of a program from the left.
class Expander {
 public:
  Expander(std::string_view text, std::string dtype) : text_(text), dtype_(std::move(dtype)) {}

  std::string expand() {
    std::string out;
    while (at_ < text_.size()) {
      if (text_[at_] == '@') {
        while (at_ < text_.size() && text_[at_] != '\n') out += text_[at_++];
      } else if (!loop(out) && !reference(out)) {
        out += text_[at_++];
      }
    }
    return out;
  }

 private:
  bool loop(std::string& out) {
    if (!is_capital(text_[at_]) || at_ + 1 >= text_.size() || text_[at_ + 1] != '(') return false;
    const std::size_t comma = text_.find(',', at_);
    const std::size_t end = text_.find(')', at_);
    append(out, text_[at_], "^{", text_.substr(comma + 1, end - comma - 1), "}_{",
           text_.substr(at_ + 2, comma - at_ - 2), "=0}");
    at_ = end + 1;
    return true;
  }

  bool reference(std::string& out) {
    if (!is_capital(text_[at_])) return false;
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_lower(text_[end])) ++end;
    std::string name(text_.substr(at_, end - at_));
    std::string dtype = dtype_;
    std::string scope = "g";
    if (end < text_.size() && text_[end] == ':') {
      const std::size_t bracket = text_.find('[', end);
      std::string kind(text_.substr(end + 1, bracket - end - 1));
      if (const std::size_t comma = kind.find(','); comma != std::string::npos) {
        dtype = kind.substr(0, comma);
        scope = kind.substr(comma + 1);
      } else {
        const bool is_scope = kind.size() == 1 || (kind.size() == 2 && kind[0] == 's');
        (is_scope ? scope : dtype) = kind;
      }
      end = bracket;
    }
    if (end >= text_.size() || text_[end] != '[') return false;
    append(out, name, "^{", dtype, ",", scope, "}");
    int depth = 1;
    std::size_t close = end + 1;
    for (; depth > 0; ++close) depth += text_[close] == '[' ? 1 : text_[close] == ']' ? -1 : 0;
    const std::string_view inside = text_.substr(end + 1, close - end - 2);
    if (!inside.empty()) append(out, "_{", Expander(inside, dtype_).expand(), "}");
    at_ = close;
    return true;
  }

  std::string_view text_;
  std::string dtype_;
  std::size_t at_ = 0;
};

}  // namespace

std::string replace_names(std::string_view text, const ShorthandValues& values) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      out += text[at++];
      continue;
    }
    std::size_t length = 0;
    for (const auto& [name, value] : values) {
      if (name.size() > length && text.substr(at + 1, name.size()) == name) length = name.size();
    }
    if (length > 0) out += values.at(std::string(text.substr(at + 1, length)));
    at += 1 + length;
  }
  return out;
}

std::string expand_shorthand(std::string_view text, const ShorthandValues& values) {
  const std::string replaced = replace_names(text, values);
  return Expander(replaced, values.at("T")).expand();
}

Program shorthand_program(std::string_view text, const ShorthandValues& values) {
  Document document = read_document("shorthand", expand_shorthand(text, values));
  if (!document.ok) {
    std::fputs(render(document.diagnostics, *document.source).c_str(), stderr);
    std::abort();
  }
  return document.program;
}

}  // namespace steptp::testing
