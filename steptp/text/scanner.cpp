#include "steptp/text/scanner.h"

#include "steptp/base/text.h"

namespace steptp {

void Scanner::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == std::string_view::npos ? text_.size() : end + 1;
    } else {
      return;
    }
  }
}

std::string Scanner::found() {
  const char c = peek();
  if (at_ >= text_.size()) return "the end of the text";
  std::size_t length = 1;
  const auto same_kind = [c](char d) {
    if (is_lower(c) || is_capital(c)) return is_lower(d);
    return is_digit(c) && is_digit(d);
  };
  while (length < 24 && same_kind(raw(length))) ++length;
  if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
    static constexpr char kHex[] = "0123456789abcdef";
    return concat("the byte 0x", kHex[(c >> 4) & 0xf], kHex[c & 0xf]);
  }
  return concat('\'', text_.substr(at_, length), '\'');
}

void Scanner::report(std::string_view id, Severity severity, Span span, std::string message, std::string hint) {
  if (severity == Severity::error) {
    if (too_many()) return;
    ++errors_;
  } else if (findings_.size() > 1000) {
    return;  // a text of a million warnings helps nobody
  }
  Finding finding;
  finding.diagnostic.id = id;
  finding.diagnostic.severity = severity;
  finding.diagnostic.message = std::move(message);
  finding.diagnostic.hint = std::move(hint);
  finding.span = span;
  findings_.push_back(std::move(finding));
}

void Scanner::expected(std::string_view what, std::string hint) {
  const std::string seen = found();
  // What is missing at the end is missing behind the last token, not behind the blanks and comments that follow it.
  const std::uint32_t place = at_ < text_.size() ? position() : last_end_;
  error({place, 1}, concat("expected ", what, ", found ", seen), std::move(hint));
}

}  // namespace steptp
