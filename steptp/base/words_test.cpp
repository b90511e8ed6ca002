#include "steptp/base/words.h"

#include <gtest/gtest.h>

namespace steptp {

enum class Colour : std::uint8_t { red, blue, green };
template <>
inline constexpr auto kWords<Colour> = std::to_array<std::string_view>({"red", "blue", "green"});

namespace {

TEST(Words, ReadWhatWasWritten) {
  for (const Colour colour : {Colour::red, Colour::blue, Colour::green}) {
    EXPECT_EQ(read_word<Colour>(word_of(colour)), colour);
  }
}

TEST(Words, AnUnknownWordIsNoValue) {
  for (const char* word : {"", "Red", "re", "redd", "red "}) EXPECT_EQ(read_word<Colour>(word), std::nullopt) << word;
}

TEST(Words, ListForMessages) { EXPECT_EQ(list_of_words<Colour>(), "'red', 'blue' and 'green'"); }

}  // namespace
}  // namespace steptp
