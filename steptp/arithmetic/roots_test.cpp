#include "steptp/arithmetic/roots.h"

#include <gtest/gtest.h>

#include "steptp/base/random.h"

namespace steptp::certify {
namespace {

TEST(Roots, SmallQuotientsComeBack) {
  const PrimeField field(7);
  Random random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto wanted = fraction_of(random.between(-(1 << 27), 1 << 27), random.between(1, 1 << 30));
    ASSERT_TRUE(wanted);
    EXPECT_EQ(small_quotient(field, field.of_fraction(*wanted)), wanted);
  }
}

TEST(Roots, OfOtherResiduesThereAreFew) {
  const PrimeField field(7);
  int found = 0;
  for (std::uint64_t trial = 0; trial < 1000; ++trial) {
    const auto quotient = small_quotient(field, field.of_function(1, trial));
    found += quotient ? 1 : 0;
    if (!quotient) continue;
    EXPECT_EQ(field.of_fraction(*quotient), field.of_function(1, trial));
  }
  EXPECT_LT(found, 900);
}

TEST(Roots, OfAffineFunctionsOnly) {
  const PrimeField field(11);
  const auto at = [&](std::int64_t slope, std::int64_t square, std::int64_t x) {
    const auto residue = [&](std::int64_t value) { return field.of_integer(value); };
    // 10*(slope*x + square*x*x) - 3
    return residue(10 * (slope * x + square * x * x) - 3);
  };
  EXPECT_EQ(root(field, {2, 0}, at(1, 0, 2), at(1, 0, 3), at(1, 0, 4)), fraction_of(3, 10));
  EXPECT_EQ(root(field, {2, 0}, at(-7, 0, 2), at(-7, 0, 3), at(-7, 0, 4)), fraction_of(-3, 70));
  EXPECT_FALSE(root(field, {2, 0}, at(1, 1, 2), at(1, 1, 3), at(1, 1, 4)));
  EXPECT_FALSE(root(field, {2, 0}, at(0, 0, 2), at(0, 0, 3), at(0, 0, 4)));
}

TEST(Roots, Sums) {
  EXPECT_EQ(sum(*fraction_of(1, 10), *fraction_of(1, 5)), fraction_of(3, 10));
  EXPECT_EQ(sum({3 << 20, -22}, *fraction_of(-3, 4)), fraction_of(0, 1));
  EXPECT_EQ(sum(*fraction_of(1, 3), *fraction_of(2, 3)), fraction_of(1, 1));
  EXPECT_FALSE(sum({1, -52}, {1, 0}));
  EXPECT_FALSE(sum(*fraction_of(1, 2147483647), *fraction_of(1, 2147483629)));
}

}  // namespace
}  // namespace steptp::certify
