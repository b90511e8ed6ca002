#include "steptp/prove/tables.h"

#include <gtest/gtest.h>

#include <limits>

namespace steptp::forms {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Variable table(std::vector<std::int64_t> shape, std::vector<double> values) {
  Variable out;
  out.shape = std::move(shape);
  out.values = std::move(values);
  return out;
}

TEST(Tables, OneValue) {
  const auto rule = two_valued(table({2, 2}, {3, 3, 3, 3}));
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->inside, 3);
  EXPECT_EQ(rule->constant, 0);
}

TEST(Tables, ACausalMask) {
  const auto rule = two_valued(table({1, 3, 3}, {0, -kInfinity, -kInfinity, 0, 0, -kInfinity, 0, 0, 0}));
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->inside, 0);
  EXPECT_EQ(rule->outside, -kInfinity);
  EXPECT_EQ(rule->coefficients, (std::vector<std::int64_t>{0, 1, -1}));
  EXPECT_EQ(rule->constant, 0);
}

TEST(Tables, AnEdge) {
  const auto rule = two_valued(table({5}, {1, 1, 1, 0, 0}));
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->coefficients, (std::vector<std::int64_t>{-1}));
  EXPECT_EQ(rule->constant, 2);
}

TEST(Tables, AnEdgeThatOneCoordinateOnlyTouches) {
  // The row of the last entry holds both values, so that no coordinate alone says which it is.
  const auto rule = two_valued(table({2, 2}, {1, 1, 1, 0}));
  ASSERT_TRUE(rule);
  EXPECT_EQ(rule->coefficients, (std::vector<std::int64_t>{-1, -1}));
  EXPECT_EQ(rule->constant, 1);
}

TEST(Tables, WhatNoRuleSays) {
  EXPECT_FALSE(two_valued(table({4}, {1, 0, 1, 0})));
  EXPECT_FALSE(two_valued(table({3, 3}, {0, 1, 1, 0, 0, 1, 0, 1, 0}))) << "one entry of a mask is changed";
  EXPECT_FALSE(two_valued(table({3}, {1, 2, 3})));
  EXPECT_FALSE(two_valued(table({2}, {0.1, 0.1}))) << "f16 does not hold it";
  EXPECT_FALSE(two_valued(table({1}, {std::numeric_limits<double>::quiet_NaN()})));
  EXPECT_FALSE(two_valued(table({2}, {})));
}

}  // namespace
}  // namespace steptp::forms
