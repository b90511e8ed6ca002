#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"

namespace steptp {

[[nodiscard]] constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

/// A cursor over a text: skips blanks and `#` comments between tokens, hands out words and numbers, and collects
/// diagnostics (as spans; line and column are computed by whoever owns the text).
class Scanner {
 public:
  static constexpr std::size_t kMaxDiagnostics = 20;

  explicit Scanner(std::string_view text) : text_(text) {}

  /// The next significant character, 0 at the end of the text.
  char peek() {
    // Canonical text has almost no blanks: look once before the loop that skips them.
    if (at_ < text_.size() && (text_[at_] > ' ' && text_[at_] != '#')) return text_[at_];
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  /// The character `ahead` bytes behind the cursor, without skipping blanks.
  [[nodiscard]] char raw(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  [[nodiscard]] std::uint32_t position() const { return static_cast<std::uint32_t>(at_); }
  void advance(std::size_t bytes) { at_ += bytes; }
  /// The end of the last token taken: what a missing token is reported behind.
  [[nodiscard]] std::uint32_t end_of_last() const { return last_end_; }
  bool at_end() { return peek() == '\0' && at_ >= text_.size(); }

  /// Takes the text if it comes next.
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    take_bytes(1);
    return true;
  }
  bool take(std::string_view token) {
    peek();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    take_bytes(token.size());
    return true;
  }

  /// Takes a token of that many bytes, which the caller has looked at already.
  void take_bytes(std::size_t bytes) {
    at_ += bytes;
    last_end_ = position();
  }

  /// Runs of characters; empty where the next character does not fit.
  std::string_view take_lower() { return take_while(is_lower); }  ///< a..z
  std::string_view take_word() {                                  ///< a..z and _
    return take_while([](char c) { return is_lower(c) || c == '_'; });
  }
  std::string_view take_digits() { return take_while(is_digit); }  ///< 0..9
  std::string_view take_code() {                                   ///< a..z and 0..9: a dtype or a scope
    return take_while([](char c) { return is_lower(c) || is_digit(c); });
  }
  std::string_view take_name() {  ///< a capital and the lower-case letters behind it
    if (!is_capital(peek())) return {};
    const std::size_t begin = at_++;
    while (at_ < text_.size() && is_lower(text_[at_])) ++at_;
    last_end_ = position();
    return text_.substr(begin, at_ - begin);
  }

  /// What stands at the cursor, quoted, for messages: the next word, number or character.
  [[nodiscard]] std::string found();
  [[nodiscard]] std::string_view text() const { return text_; }

  struct Finding {
    Diagnostic diagnostic;
    Span span;
  };
  void report(std::string_view id, Severity severity, Span span, std::string message, std::string hint = {});
  void error(Span span, std::string message, std::string hint = {}) {
    report("syntax", Severity::error, span, std::move(message), std::move(hint));
  }
  /// "expected X, found Y" at the cursor.
  void expected(std::string_view what, std::string hint = {});

  [[nodiscard]] bool failed() const { return errors_ > 0; }
  [[nodiscard]] bool too_many() const { return errors_ >= kMaxDiagnostics; }
  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

 private:
  void skip_blanks();
  template <typename Accept>
  std::string_view take_while(Accept accept) {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && accept(text_[at_])) ++at_;
    last_end_ = position();
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t last_end_ = 0;
  std::size_t errors_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace steptp
