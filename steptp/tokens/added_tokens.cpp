#include "steptp/tokens/added_tokens.h"

#include <algorithm>

#include "steptp/tokens/unicode.h"

namespace steptp {

namespace {

unsigned char first_byte(const AddedToken& token) { return static_cast<unsigned char>(token.content.front()); }

CharacterClass class_at(std::string_view text, std::size_t at) {
  return UnicodeTables::get().class_of(decode_point(text.data() + at).point);
}

/// The start of the code point that ends at `end`, which is not 0.
std::size_t point_before(std::string_view text, std::size_t end) {
  do --end;
  while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80);
  return end;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  // Stable: of two tokens with one content, the first wins.
  std::stable_sort(tokens_.begin(), tokens_.end(), [](const AddedToken& a, const AddedToken& b) {
    if (first_byte(a) != first_byte(b)) return first_byte(a) < first_byte(b);
    return a.content.size() > b.content.size();
  });
  for (const AddedToken& token : tokens_) ++first_of_byte_[first_byte(token) + 1U];
  for (std::size_t b = 1; b < first_of_byte_.size(); ++b) first_of_byte_[b] += first_of_byte_[b - 1];
  if (!tokens_.empty() && first_byte(tokens_.front()) == first_byte(tokens_.back())) {
    only_first_byte_ = tokens_.front().content.front();
  }
}

std::optional<AddedTokens::Match> AddedTokens::find(std::string_view text, std::size_t from) const {
  if (tokens_.empty()) return std::nullopt;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (only_first_byte_) {
      at = text.find(*only_first_byte_, at);
      if (at == std::string_view::npos) return std::nullopt;
    }
    const std::size_t byte = static_cast<unsigned char>(text[at]);
    for (std::uint32_t i = first_of_byte_[byte]; i < first_of_byte_[byte + 1]; ++i) {
      if (text.substr(at).starts_with(tokens_[i].content)) return Match{&tokens_[i], at};
    }
  }
  return std::nullopt;
}

bool AddedTokens::touches_word(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && (class_at(text, point_before(text, begin)) & kWordCharacter) != 0) return true;
  return end < text.size() && (class_at(text, end) & kWordCharacter) != 0;
}

AddedTokens::Extent AddedTokens::stripped(std::string_view text, const Match& match, std::size_t done) {
  std::size_t begin = match.begin, end = match.begin + match.token->content.size();
  if (match.token->lstrip) {
    while (begin > 0) {
      const std::size_t before = point_before(text, begin);
      if ((class_at(text, before) & kSpace) == 0) break;
      begin = before;
    }
    begin = std::max(begin, done);  // an rstrip token before this one may have taken some
  }
  if (match.token->rstrip) {
    while (end < text.size() && (class_at(text, end) & kSpace) != 0) end += decode_point(text.data() + end).length;
  }
  return {begin, end};
}

}  // namespace steptp
