#include "steptp/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace steptp {
namespace {

// These numbers are in files people keep (seeds, dataset rows, recipes): a change here breaks them all.
TEST(Hash, IsTheSameOnEveryMachine) {
  EXPECT_EQ(mix(0), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(mix(1), 0x910a2dec89025cc1ULL);
  EXPECT_EQ(combine(combine(7, 1), 2), 0xdadb72ac0da0da2cULL);
  EXPECT_EQ(combine(combine(7, 2), 1), 0x619b1a61d0ab4fdaULL);
  EXPECT_EQ(hash_text(""), 0xc3817c016ba4ff30ULL);
  EXPECT_EQ(hash_text("a"), 0xc0fc99fea7ab959cULL);
  EXPECT_EQ(hash_text("tx16 a8 D(tx,a)=A(tx,a);"), 0x6b729a4ea3f3011eULL);
}

TEST(Random, StreamsAreTheSameOnEveryMachine) {
  EXPECT_EQ(random_at(42, 1000000), 0x8ee930a64cb4e4aULL);
  Random draws(1);
  for (const std::uint64_t wanted :
       {0xa0fe367ab32de4deULL, 0x229a88c5f8cd3f17ULL, 0x94549a0f1f39a051ULL, 0x8ea0678986efdcf8ULL}) {
    EXPECT_EQ(draws.next(), wanted);
  }
  Random small(2026);
  for (const std::uint64_t wanted : {3, 4, 4, 3, 2, 5, 5, 4, 1, 6, 7, 4}) EXPECT_EQ(small.below(10), wanted);
  for (const std::int64_t wanted : {-1, -1, 0, 3, 2, -3, 0, -3}) EXPECT_EQ(small.between(-3, 3), wanted);
  EXPECT_EQ(Random(1).fork(5).next(), 0x1e13a93104020814ULL);
}

TEST(Random, BelowCoversItsRangeEvenly) {
  Random draws(3);
  std::array<int, 7> seen{};
  constexpr int kDraws = 70000;
  for (int i = 0; i < kDraws; ++i) ++seen[draws.below(seen.size())];
  for (const int count : seen) EXPECT_NEAR(count, kDraws / 7, 500);
}

TEST(Random, BelowAndBetweenStayInsideAtTheExtremes) {
  Random draws(4);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(draws.below(1), 0u);
    EXPECT_LT(draws.below((1ULL << 63) + 1), (1ULL << 63) + 1);
    EXPECT_EQ(draws.between(5, 5), 5);
  }
}

TEST(Random, BetweenReachesOverTheWholeOfInt64) {
  Random draws(5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_LE(draws.between(INT64_MIN, -1), -1);
    EXPECT_GE(draws.between(0, INT64_MAX), 0);
    EXPECT_GE(draws.between(INT64_MIN + 1, INT64_MAX), INT64_MIN + 1);
    (void)draws.between(INT64_MIN, INT64_MAX);
  }
}

TEST(Random, ForksDifferAndDoNotAdvanceTheirParent) {
  Random parent(6);
  const Random same = parent;
  EXPECT_NE(parent.fork(0).next(), parent.fork(1).next());
  Random copy = same;
  EXPECT_EQ(parent.next(), copy.next());
}

}  // namespace
}  // namespace steptp
