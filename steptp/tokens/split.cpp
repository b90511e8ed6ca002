#include "steptp/tokens/split.h"

namespace steptp {

namespace {

constexpr CharacterClass kTextual = kLetter | kNumber | kSpace;

struct KnownPattern {
  std::string_view pattern;
  SplitRule rule;
};
constexpr KnownPattern kKnownPatterns[] = {
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     {1}},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     {3}},
};

}  // namespace

std::optional<SplitRule> known_split_rule(std::string_view pattern) {
  for (const KnownPattern& known : kKnownPatterns) {
    if (known.pattern == pattern) return known.rule;
  }
  return std::nullopt;
}

std::size_t WordScanner::skip(std::size_t at, CharacterClass any_of) const {
  while (at < text_.size()) {
    const Seen seen = see(at);
    if ((seen.flags & any_of) == 0) break;
    at = seen.end;
  }
  return at;
}

/// The end of 's, 't, 're, 've, 'm, 'll or 'd in any case at the place of an apostrophe; 0 where there is none.
std::size_t WordScanner::contraction_end() const {
  const auto lower = [this](std::size_t at) {
    const char c = at < text_.size() ? text_[at] : '\0';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const std::size_t second = at_ + 1;
  switch (lower(second)) {
    case 's':
    case 't':
    case 'm':
    case 'd': return second + 1;
    case 'r':
    case 'v': return lower(second + 1) == 'e' ? second + 2 : 0;
    case 'l': return lower(second + 1) == 'l' ? second + 2 : 0;
    // U+017F, the long s, is the only other letter that folds to one of these.
    case '\xc5': return text_.substr(second).starts_with("\xc5\xbf") ? second + 2 : 0;
    default: return 0;
  }
}

std::size_t WordScanner::number_end(std::size_t first_end) const {
  std::size_t at = first_end;
  for (std::size_t digits = 1; digits < max_digits_ && at < text_.size(); ++digits) {
    const Seen seen = see(at);
    if ((seen.flags & kNumber) == 0) break;
    at = seen.end;
  }
  return at;
}

/// [^\s\p{L}\p{N}]+[\r\n]*; `at` where there is none.
std::size_t WordScanner::symbols_end(std::size_t at) const {
  const std::size_t begin = at;
  while (at < text_.size()) {
    const Seen seen = see(at);
    if ((seen.flags & kTextual) != 0) break;
    at = seen.end;
  }
  return at == begin ? begin : skip(at, kNewline);
}

/// \s*[\r\n]+ up to the last newline of the run; else all but the last space, which belongs to what follows it; else
/// the one space there is.
std::size_t WordScanner::spaces_end() const {
  std::size_t after_newline = 0;
  std::size_t before_last = at_, end = at_;
  while (end < text_.size()) {
    const Seen seen = see(end);
    if ((seen.flags & kSpace) == 0) break;
    before_last = end;
    end = seen.end;
    if ((seen.flags & kNewline) != 0) after_newline = end;
  }
  if (after_newline != 0) return after_newline;
  if (end == text_.size() || before_last == at_) return end;
  return before_last;
}

std::size_t WordScanner::word_end() const {
  const Seen first = see(at_);
  if ((first.flags & kLetter) != 0) return skip(first.end, kLetter);
  if ((first.flags & kNumber) != 0) return number_end(first.end);
  if (text_[at_] == '\'') {
    if (const std::size_t end = contraction_end(); end != 0) return end;
  }
  if ((first.flags & kNewline) == 0 && first.end < text_.size()) {
    if (const Seen second = see(first.end); (second.flags & kLetter) != 0) return skip(second.end, kLetter);
  }
  if ((first.flags & kSpace) == 0) return symbols_end(at_);
  if (text_[at_] == ' ') {
    if (const std::size_t end = symbols_end(first.end); end != first.end) return end;
  }
  return spaces_end();
}

std::string_view WordScanner::next() {
  const std::size_t begin = at_;
  at_ = word_end();
  return text_.substr(begin, at_ - begin);
}

}  // namespace steptp
