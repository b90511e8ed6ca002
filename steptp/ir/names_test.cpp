#include "steptp/ir/names.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/ir/operation.h"
#include "steptp/ir/program.h"

namespace steptp {
namespace {

std::string first(std::string (*name)(std::uint64_t), std::uint64_t from, std::uint64_t count) {
  std::string out;
  for (std::uint64_t i = from; i < from + count; ++i) append(out, i > from ? " " : "", name(i));
  return out;
}

TEST(Names, InTheOrderOfTheLanguage) {
  EXPECT_EQ(first(tensor_name, 0, 24), "A C D E F G H I J K M N O Q R S W X Y Z Aa Ac Ad Ae");
  EXPECT_EQ(first(tensor_name, 38, 4), "Ay Az Ca Cc");
  EXPECT_EQ(first(index_name, 0, 23), "a c d f g h i j k l m n o p q r s u w aa ac ad af");
}

TEST(Names, TheFirstHundredThousandAreDistinctAndLegal) {
  std::set<std::string> tensors;
  std::set<std::string> indices;
  std::size_t longest = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const std::string tensor = tensor_name(i);
    const std::string index = index_name(i);
    ASSERT_TRUE(tensors.insert(tensor).second) << tensor;
    ASSERT_TRUE(indices.insert(index).second) << index;
    ASSERT_EQ(std::string("LPVUBT").find(tensor[0]), std::string::npos) << tensor;
    ASSERT_EQ(index.find_first_not_of("acdfghijklmnopqrsuw"), std::string::npos) << index;
    ASSERT_FALSE(parse_function(index).has_value()) << index;
    ASSERT_FALSE(axis_of(index).has_value()) << index;
    longest = std::max(longest, index.size());
  }
  EXPECT_EQ(longest, 4u);
  for (const char* reserved : {"inf", "min", "log", "sin", "cos"}) EXPECT_FALSE(indices.contains(reserved)) << reserved;
  EXPECT_TRUE(indices.contains("if"));  // no function: an index like any other
}

/// Every word of index letters comes in its turn, the reserved ones apart: also the long ones.
TEST(Names, LongReservedWordsAreSkippedToo) {
  const std::string_view letters = "acdfghijklmnopqrsuw";
  const auto position = [&](std::string_view word) {
    std::uint64_t value = 0;
    std::uint64_t shorter = 0;
    std::uint64_t count = 1;
    for (const char c : word) {
      value = value * letters.size() + letters.find(c);
      count *= letters.size();
      shorter += count;
    }
    return shorter - count + value;
  };
  EXPECT_EQ(index_name(position("floon") - 5), "floon");
  EXPECT_EQ(index_name(position("floor") - 5), "floos");
  EXPECT_EQ(index_name(position("rouna") - 6), "rouna");
  EXPECT_EQ(index_name(position("round") - 6), "rounf");
}

TEST(Names, ASourceSkipsWhatIsTaken) {
  NameSource source(tensor_name);
  source.reserve("C");
  source.reserve("D");
  EXPECT_EQ(source.next(), "A");
  EXPECT_EQ(source.next(), "E");
  source.reserve("F");
  EXPECT_EQ(source.next(), "G");
}

}  // namespace
}  // namespace steptp
