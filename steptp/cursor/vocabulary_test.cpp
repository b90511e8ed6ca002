#include "steptp/cursor/vocabulary.h"

#include <gtest/gtest.h>

#include <set>

#include "source_dir.h"
#include "steptp/base/file.h"

namespace steptp::cursor {
namespace {

/// Weights and claims depend on the numbers of the words: this version is final. A change is a new version.
constexpr std::string_view kHashOfVersion1 = "a4fb42638ae69d42191df5ee4a937f6619e0fd63dc1b597a173893b77d2767b9";

TEST(Vocabulary, IsTheFileAndNeverChanges) {
  const auto file = read_file(STEPTP_SOURCE_DIR "/data/tlm_vocabulary.txt");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*file, vocabulary_text());
  EXPECT_EQ(vocabulary_hash(), kHashOfVersion1);
}

TEST(Vocabulary, HasEachWordOnce) {
  const std::set<std::string> words(vocabulary().begin(), vocabulary().end());
  EXPECT_EQ(words.size(), vocabulary().size());
  for (std::size_t i = 0; i < vocabulary().size(); ++i) {
    EXPECT_EQ(find_token(vocabulary()[i]), static_cast<Token>(i));
    EXPECT_EQ(word_of_token(static_cast<Token>(i)), vocabulary()[i]);
  }
  EXPECT_FALSE(find_token("v9"));
  EXPECT_EQ(word_of_token(static_cast<Token>(vocabulary().size())), "?");
  EXPECT_THROW((void)token_of("nothing"), std::logic_error);
}

TEST(Vocabulary, HasTheWordsOfWhatIsStillToCome) {
  for (const char* word : {"T", "wx", "wy", "wz", "f", "s2", "s3", "s4", "s5", "matrix", "op:splits", "op:buffers"}) {
    EXPECT_TRUE(find_token(word)) << word;
  }
}

TEST(Vocabulary, HasNumbersBothWays) {
  EXPECT_EQ(decision_numbers().size(), 35U);
  for (const std::int64_t number : decision_numbers()) {
    const auto token = number_token(number);
    ASSERT_TRUE(token);
    EXPECT_EQ(number_of_token(*token), number);
  }
  EXPECT_FALSE(number_token(9));
  EXPECT_FALSE(number_of_token(token_of("all")));
}

}  // namespace
}  // namespace steptp::cursor
