#include "steptp/arithmetic/twin_field.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "steptp/arithmetic/extremum_sets.h"
#include "steptp/base/random.h"

namespace steptp::certify {
namespace {

TEST(TwinField, ExpIsAHomomorphism) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TwinField field(seed);
    for (std::uint64_t i = 0; i < 20; ++i) {
      const Twin a = field.unknown(2 * i);
      const Twin b = field.unknown(2 * i + 1);
      EXPECT_EQ(field.multiply(field.exp(a), field.exp(b)), field.exp(field.add(a, b)));
      EXPECT_NE(field.exp(a), field.exp(b));
      EXPECT_EQ(field.multiply(field.exp(a), field.exp(field.negate(a))), field.one());
    }
    EXPECT_EQ(field.exp({}), field.one());
    EXPECT_NE(field.exp(field.one()), field.one());
  }
}

TEST(TwinField, NumbersAreTheSameInBothFields) {
  const TwinField field(7);
  const Twin tenth = field.of_decimal({1, -1, 0.1});
  const Twin ten = field.of_integer(10);
  EXPECT_EQ(field.multiply(tenth, ten), field.one());
  EXPECT_EQ(field.multiply(tenth, ten).q, field.one().q);
  EXPECT_EQ(field.inverse(ten).q, tenth.q);
  EXPECT_EQ(field.of_fraction({3, -1}).q, field.multiply(field.of_integer(15), tenth).q);
}

ExtremumSets::Member member(std::uint64_t number) {
  ExtremumSets::Member out;
  out.number = {number, number};
  return out;
}

/// Against sorted vectors.
TEST(ExtremumSets, AreSets) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    ExtremumSets sets;
    std::vector<std::uint64_t> numbers(1 + random.below(40));
    for (std::uint64_t& number : numbers) number = random.below(60);
    std::vector<std::uint64_t> shuffled = numbers;
    for (std::size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(i)]);
    std::uint32_t one = 0;
    for (const std::uint64_t number : numbers) one = sets.with(one, member(number));
    // The same in another order, in two parts.
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    for (std::size_t i = 0; i < shuffled.size(); ++i) {
      std::uint32_t& part = i % 3 == 0 ? first : second;
      part = sets.with(part, member(shuffled[i]));
    }
    const std::uint32_t two = sets.united(first, second);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    EXPECT_EQ(sets.size(one), numbers.size());
    EXPECT_EQ(sets.size(two), numbers.size());
    EXPECT_EQ(sets.hash(one), sets.hash(two));
    // What was there before is still what it was, and one more is another set.
    const std::uint64_t before = sets.hash(one);
    const std::uint32_t more = sets.with(one, member(1000));
    EXPECT_EQ(sets.hash(one), before);
    EXPECT_NE(sets.hash(more), before);
    EXPECT_EQ(sets.members(more).size(), numbers.size() + 1);
  }
}

}  // namespace
}  // namespace steptp::certify
