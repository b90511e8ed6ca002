#include "steptp/analysis/presburger.h"

#include <gtest/gtest.h>

namespace steptp {
namespace {

/// All points of a box of the given extents.
IntegerSet box(const std::vector<std::int64_t>& extents) {
  IntegerSet set;
  for (const std::int64_t extent : extents) {
    const Linear variable = Linear::variable(set.add_variable());
    set.require(at_most(Linear::number(0), variable));
    set.require(less(variable, Linear::number(extent)));
  }
  set.dimensions = extents.size();
  return set;
}

TEST(Presburger, TheLeastPointIsTheLexicographicMinimum) {
  Presburger isl;
  IntegerSet set = box({5, 5});
  set.require(equals(Linear::variable(0) + Linear::variable(1), Linear::number(6)));
  const auto sample = isl.least_point(set);
  ASSERT_EQ(sample.kind, Presburger::Sample::Kind::found);
  EXPECT_EQ(sample.point, (std::vector<std::int64_t>{2, 4}));
}

TEST(Presburger, ASetWithoutIntegersIsEmptyThoughItHasRationals) {
  Presburger isl;
  IntegerSet set = box({9, 9});
  const Linear sum = Linear::variable(0) + Linear::variable(0) - Linear::variable(1) - Linear::variable(1);
  set.require(equals(sum, Linear::number(1)));
  EXPECT_EQ(isl.least_point(set).kind, Presburger::Sample::Kind::empty);
}

TEST(Presburger, TooManyClausesAreGivenUp) {
  Presburger isl;
  IntegerSet set = box({4});
  const Linear variable = Linear::variable(0);
  for (int i = 0; i < 12; ++i) {
    set.require(Formula{{less(variable, Linear::number(2))}, {less(Linear::number(1), variable)}});
  }
  EXPECT_EQ(isl.least_point(set).kind, Presburger::Sample::Kind::gave_up);
}

TEST(Presburger, CoveredNamesTheLeastPointLeft) {
  Presburger isl;
  EXPECT_EQ(isl.covered(box({3, 4}), {box({3, 2}), box({3, 4})}).kind, Presburger::Answer::Kind::covered);
  const auto missing = isl.covered(box({3, 4}), {box({2, 4})});
  ASSERT_EQ(missing.kind, Presburger::Answer::Kind::missing);
  EXPECT_EQ(missing.point, (std::vector<std::int64_t>{2, 0}));
}

TEST(Presburger, WhatIsKeptIsTheAnswerToThisQuestionOnly) {
  Presburger isl;
  for (int round = 0; round < 2; ++round) {
    for (const std::int64_t sum : {4, 6, 9}) {
      IntegerSet set = box({5, 5});
      set.require(equals(Linear::variable(0) + Linear::variable(1), Linear::number(sum)));
      const auto sample = isl.least_point(set);
      EXPECT_EQ(sample.kind == Presburger::Sample::Kind::empty, sum == 9);
      if (sum != 9) {
        EXPECT_EQ(sample.point[0], sum - 4);
      }
      set.dimensions = 1;  // of the same constraints, the first coordinate only
      EXPECT_EQ(isl.least_point(set).point.size(), sum == 9 ? 0U : 1U);
      EXPECT_EQ(isl.covered(set, {box({5})}).kind, Presburger::Answer::Kind::covered);
      EXPECT_EQ(isl.covered(set, {box({sum == 9 ? 0 : sum - 4})}).kind,
                sum == 9 ? Presburger::Answer::Kind::covered : Presburger::Answer::Kind::missing);
    }
  }
}

TEST(Presburger, EqualTextsAreEqualDescriptions) {
  const auto text = [](const IntegerSet& set) {
    std::string out;
    set.append_text(out);
    return out;
  };
  const Constraint small = less(Linear::variable(0), Linear::number(2));
  const Constraint large = less(Linear::number(2), Linear::variable(0));
  EXPECT_EQ(text(box({3, 4})), text(box({3, 4})));
  EXPECT_NE(text(box({3, 4})), text(box({4, 3})));
  IntegerSet both = box({5});
  both.require(Formula{{small, large}});
  IntegerSet either = box({5});
  either.require(Formula{{small}, {large}});
  IntegerSet apart = box({5});
  apart.require(Formula{{small}});
  apart.require(Formula{{large}});
  EXPECT_NE(text(both), text(either));
  EXPECT_NE(text(both), text(apart));
  EXPECT_NE(text(either), text(apart));
}

}  // namespace
}  // namespace steptp
