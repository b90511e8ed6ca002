#include "steptp/certify/given.h"

#include <gtest/gtest.h>

namespace steptp::certify {
namespace {

TEST(GivenValues, FractionsAsText) {
  const GivenValue value{false, 0, *fraction_of(-21, 20)};
  EXPECT_EQ(to_text(value), "-21/20");
  EXPECT_EQ(parse_given(DType::f32, "-21/20"), value);
  EXPECT_EQ(parse_given(DType::f32, "6/4"), (GivenValue{false, 0, {3, -1}}));
  for (const char* bad : {"1/0", "1/-2", "/2", "1/", "1/2/3", "1.5/2", "99999999999999999999/3"}) {
    EXPECT_FALSE(parse_given(DType::f32, bad)) << bad;
  }
}

}  // namespace
}  // namespace steptp::certify
