#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "steptp/tokens/unicode.h"

namespace steptp {

/// Cuts a text into the words that byte pairs are merged in. The regular expressions we know differ only in how many
/// digits make a word; a pattern we do not know is refused when the tokenizer is read, never approximated.
struct SplitRule {
  std::size_t max_digits = 1;
};

/// The rule for the pattern of a tokenizer file, nothing where it is not one of those we know.
[[nodiscard]] std::optional<SplitRule> known_split_rule(std::string_view pattern);

/// Reads the words of one normalised text, first to last; together they are the whole text.
///
///   (?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N} | ?[^\s\p{L}\p{N}]+[\r\n]* | \s*[\r\n]+
///     | \s+(?!\S) | \s+
class WordScanner {
 public:
  WordScanner(std::string_view text, SplitRule rule)
      : tables_(UnicodeTables::get()), text_(text), max_digits_(rule.max_digits) {}

  [[nodiscard]] bool done() const { return at_ == text_.size(); }
  /// The next word; only where not done().
  [[nodiscard]] std::string_view next();

 private:
  struct Seen {
    CharacterClass flags;
    std::size_t end;  // the offset after the code point
  };
  /// Only where `at` is inside the text.
  [[nodiscard]] Seen see(std::size_t at) const {
    const auto [point, length] = decode_point(text_.data() + at);
    return {tables_.class_of(point), at + length};
  }
  [[nodiscard]] std::size_t skip(std::size_t at, CharacterClass any_of) const;
  [[nodiscard]] std::size_t contraction_end() const;
  [[nodiscard]] std::size_t number_end(std::size_t first_end) const;
  [[nodiscard]] std::size_t symbols_end(std::size_t at) const;
  [[nodiscard]] std::size_t spaces_end() const;
  [[nodiscard]] std::size_t word_end() const;

  const UnicodeTables& tables_;
  std::string_view text_;
  std::size_t max_digits_;
  std::size_t at_ = 0;
};

}  // namespace steptp
