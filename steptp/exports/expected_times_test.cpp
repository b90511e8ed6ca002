#include "steptp/exports/expected_times.h"

#include <gtest/gtest.h>

#include "steptp/text/document.h"

namespace steptp::dataset {
namespace {

ExpectedTimes times(const std::string& nests) {
  const Document document = read_document("p", "@input A f32[64,4096]\n@output D f32[64,4096]\n" + nests);
  EXPECT_TRUE(document.ok);
  return expected_times(document.program);
}

TEST(ExpectedTimes, AStepThatSavesALaunchIsUsefulAndItsReverseIsNot) {
  const ExpectedTimes two = times("tx64 a4096 E(tx,a)=A(tx,a)*2;tx64 a4096 D(tx,a)=E(tx,a)+1;");
  const ExpectedTimes one = times("tx64 a4096 D(tx,a)=A(tx,a)*2+1;");
  ASSERT_TRUE(two.gpu && two.cpu && one.gpu && one.cpu);
  EXPECT_LT(*one.gpu, *two.gpu);
  EXPECT_GT(usefulness(two, one), 0.2);
  EXPECT_LT(usefulness(two, one), 1);
  EXPECT_EQ(usefulness(one, two), 0);
  EXPECT_EQ(usefulness(one, one), 0);
  EXPECT_EQ(usefulness({}, one), 0);
}

}  // namespace
}  // namespace steptp::dataset
