// Texts that are nearly programs, for the reader.
#include <algorithm>
#include <array>
#include <string_view>

#include "testing/mutator.h"

namespace steptp::testing {

namespace {

constexpr std::array<std::string_view, 64> kTokens = {"L",
                                                      "P",
                                                      "V",
                                                      "U",
                                                      "B",
                                                      "T",
                                                      "^{",
                                                      "_{",
                                                      "}",
                                                      "[",
                                                      "]",
                                                      ";",
                                                      "];",
                                                      "=",
                                                      "==",
                                                      "0",
                                                      "1",
                                                      "16",
                                                      "9223372036854775807",
                                                      "9223372036854775808",
                                                      "a",
                                                      "c",
                                                      "tx",
                                                      "bxa",
                                                      "wx",
                                                      "e",
                                                      "inf",
                                                      "f32",
                                                      "f16",
                                                      "bool",
                                                      "g",
                                                      "s",
                                                      "l",
                                                      "f",
                                                      ",",
                                                      "+",
                                                      "-",
                                                      "*",
                                                      "**",
                                                      "/",
                                                      "//",
                                                      "%",
                                                      "<",
                                                      "<=",
                                                      ">",
                                                      "!=",
                                                      "&",
                                                      "|",
                                                      "(",
                                                      ")",
                                                      "max(",
                                                      "if_then_else(",
                                                      "where(",
                                                      "exp(",
                                                      "?{",
                                                      "?(",
                                                      "0.5",
                                                      "1e",
                                                      "1e999",
                                                      "A^{f32,g}_{a}",
                                                      "A(a)",
                                                      "+=",
                                                      " max=",
                                                      "#"};

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// The token around a position: a run of letters and digits, or one character.
std::pair<std::size_t, std::size_t> token_at(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  std::size_t end = at + 1;
  if (is_word(text[at])) {
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    while (end < text.size() && is_word(text[end])) ++end;
  }
  return {begin, end - begin};
}

void change_once(std::string& text, Random& random) {
  if (text.empty()) text.push_back('B');
  const std::size_t at = random.below(text.size());
  const auto [begin, length] = token_at(text, at);
  const std::string_view token = kTokens[random.below(kTokens.size())];
  switch (random.below(12)) {
    case 0: text.erase(at, 1); break;
    case 1: text.insert(at, 1, text[at]); break;
    case 2: text[at] = static_cast<char>(random.below(256)); break;
    case 3: text[at] = static_cast<char>(' ' + random.below(95)); break;
    case 4: text.insert(at, 1, static_cast<char>(' ' + random.below(95))); break;
    case 5: text.erase(begin, length); break;
    case 6: text.insert(begin, text.substr(begin, length)); break;
    case 7: text.replace(begin, length, token); break;
    case 8: text.insert(begin, token); break;
    case 9: {  // another token of the same text
      const auto [other, other_length] = token_at(text, random.below(text.size()));
      text.replace(begin, length, text.substr(other, other_length));
      break;
    }
    case 10: {  // a piece moves or is repeated elsewhere
      const std::string piece = text.substr(at, random.below(40) + 1);
      if (random.chance(1, 2)) text.erase(at, piece.size());
      text.insert(random.below(text.size() + 1), piece);
      break;
    }
    default:
      if (random.chance(1, 4)) text.resize(at);
      break;
  }
}

}  // namespace

std::string mutate_text(std::string text, Random& random) {
  for (std::int64_t changes = random.chance(2, 3) ? 1 : random.between(2, 6); changes > 0; --changes) {
    change_once(text, random);
  }
  return text;
}

}  // namespace steptp::testing
