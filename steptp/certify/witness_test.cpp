// An input of many elements is told so that the one that matters is among those that are named.
#include "steptp/certify/witness.h"

#include <gtest/gtest.h>

#include "steptp/certify/given.h"

namespace steptp::certify {
namespace {

InputRead real(std::size_t input, std::int64_t position, int value) {
  InputRead out;
  out.input = input;
  out.position = position;
  out.value = parse_given(DType::f64, std::to_string(value)).value();
  return out;
}

TEST(Witness, WhatIsUnlikeTheOthersIsNamed) {
  std::vector<InputRead> reads;
  for (std::int64_t i = 0; i < 128; ++i) reads.push_back(real(0, i, i == 57 ? 200 : 1));
  const Witness witness(reads);
  ASSERT_EQ(witness.named.size(), 1U);
  EXPECT_EQ(witness.named[0].position, 57);
  EXPECT_EQ(witness.rest.at(0).count, 127U);
  EXPECT_FALSE(witness.rest.at(0).is_all);
  EXPECT_EQ(witness.rest.at(0).value, to_text(reads[0].value));
}

TEST(Witness, FewElementsAreNamedAll) {
  const Witness witness({real(0, 0, 1), real(0, 1, 1), real(1, 0, 1)});
  EXPECT_EQ(witness.named.size(), 3U);
  EXPECT_TRUE(witness.rest.empty());
}

TEST(Witness, OfManyDifferentOnesTheRestIsCounted) {
  std::vector<InputRead> reads;
  for (std::int64_t i = 0; i < 20; ++i) reads.push_back(real(0, i, static_cast<int>(i)));
  for (std::int64_t i = 0; i < 20; ++i) reads.push_back(real(1, i, 3));
  const Witness witness(reads);
  EXPECT_EQ(witness.named.size(), 6U);
  EXPECT_EQ(witness.rest.at(0).count, 14U);
  EXPECT_EQ(witness.rest.at(0).value, std::nullopt);
  EXPECT_TRUE(witness.rest.at(1).is_all);
  EXPECT_EQ(witness.rest.at(1).count, 20U);
}

}  // namespace
}  // namespace steptp::certify
