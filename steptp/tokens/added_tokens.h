#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/tokens/tokenizer_file.h"

namespace steptp {

/// Finds added tokens in a text, leftmost first, the longest of those that begin at one place.
class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  [[nodiscard]] bool empty() const { return tokens_.empty(); }

  /// Calls text(string_view) for what lies between the tokens and token(id) for each token, in order. Blanks that an
  /// lstrip or rstrip token takes with it belong to neither.
  template <typename OnText, typename OnToken>
  void split(std::string_view text, OnText&& on_text, OnToken&& on_token) const {
    std::size_t done = 0, from = 0;
    while (const auto match = find(text, from)) {
      from = match->begin + match->token->content.size();
      if (match->token->single_word && touches_word(text, match->begin, from)) continue;
      const auto [begin, end] = stripped(text, *match, done);
      if (done < begin) on_text(text.substr(done, begin - done));
      on_token(match->token->id);
      done = end;
    }
    if (done != text.size()) on_text(text.substr(done));
  }

 private:
  struct Match {
    const AddedToken* token;
    std::size_t begin;
  };
  struct Extent {
    std::size_t begin, end;
  };
  [[nodiscard]] std::optional<Match> find(std::string_view text, std::size_t from) const;
  [[nodiscard]] static bool touches_word(std::string_view text, std::size_t begin, std::size_t end);
  [[nodiscard]] static Extent stripped(std::string_view text, const Match& match, std::size_t done);

  std::vector<AddedToken> tokens_;                     // by first byte, the longest first
  std::array<std::uint32_t, 257> first_of_byte_ = {};  // tokens that begin with byte b: [b] to [b+1]
  std::optional<char> only_first_byte_;                // where all begin with the same: a search of its own
};

}  // namespace steptp
