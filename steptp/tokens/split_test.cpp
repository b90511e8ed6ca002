#include "steptp/tokens/split.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steptp {
namespace {

std::vector<std::string> words(std::string_view text, std::size_t max_digits = 1) {
  std::vector<std::string> out;
  for (WordScanner scanner(text, {max_digits}); !scanner.done();) out.emplace_back(scanner.next());
  return out;
}

using Words = std::vector<std::string>;

TEST(Split, letters_take_one_character_before_them) {
  EXPECT_EQ(words("Hello world"), (Words{"Hello", " world"}));
  EXPECT_EQ(words("a_b.c"), (Words{"a", "_b", ".c"}));
  EXPECT_EQ(words("\tx\nx"), (Words{"\tx", "\n", "x"}));
  EXPECT_EQ(words("1x"), (Words{"1", "x"}));
}

TEST(Split, contractions) {
  EXPECT_EQ(words("I'm he'S we'Ll"), (Words{"I", "'m", " he", "'S", " we", "'Ll"}));
  EXPECT_EQ(words("'\u017fx"), (Words{"'\u017f", "x"}));
  EXPECT_EQ(words("'lx 'r"), (Words{"'lx", " '", "r"}));
}

TEST(Split, numbers) {
  EXPECT_EQ(words("12 3"), (Words{"1", "2", " ", "3"}));
  EXPECT_EQ(words("12345", 3), (Words{"123", "45"}));
}

TEST(Split, symbols_take_a_blank_before_and_newlines_after) {
  EXPECT_EQ(words("a += 1;\n\n b"), (Words{"a", " +=", " ", "1", ";\n\n", " b"}));
  EXPECT_EQ(words("  {}"), (Words{" ", " {}"}));
}

TEST(Split, blanks) {
  EXPECT_EQ(words("a  \n  b"), (Words{"a", "  \n", " ", " b"}));
  EXPECT_EQ(words("a   "), (Words{"a", "   "}));
  EXPECT_EQ(words("a\u3000\u30001"), (Words{"a", "\u3000", "\u3000", "1"}));
  EXPECT_EQ(words("\r\n\t\r\n \t1"), (Words{"\r\n\t\r\n", " ", "\t", "1"}));
}

TEST(Split, knows_two_patterns_and_no_other) {
  EXPECT_FALSE(known_split_rule(""));
  EXPECT_FALSE(known_split_rule(R"(\s+)"));
}

}  // namespace
}  // namespace steptp
