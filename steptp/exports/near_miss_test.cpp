#include "steptp/exports/near_miss.h"

#include <gtest/gtest.h>

#include "steptp/text/document.h"
#include "steptp/text/printer.h"

namespace steptp::dataset {

namespace {

Program program_of(const std::string& text) {
  const Document document = read_document("test.leir", text);
  EXPECT_TRUE(document.ok);
  return document.program;
}

TEST(NearMiss, IsADifferentProgramAndTheSameOneEachTime) {
  const Program before = program_of("@input A f32[8]\n@output D f32[8]\ntx8 D(tx)=A(tx)+A(tx);");
  const Program after = program_of("@input A f32[8]\n@output D f32[8]\ntx8 D(tx)=A(tx)*2;");
  const auto miss = find_near_miss(before, after, "a key", {});
  ASSERT_TRUE(miss);
  EXPECT_NE(miss->leir, print(after));
  EXPECT_FALSE(miss->change.empty());
  const auto again = find_near_miss(before, after, "a key", {});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->leir, miss->leir);
  EXPECT_EQ(again->id, miss->id);
}

// An element of the second matrix product needs 300 of the first, each of which is a sum of 300: more than the budget.
TEST(NearMiss, IsNotLookedForBeyondTheBudget) {
  const std::string known = "@input A f32[300,300]\n@input C f32[300,300]\n@output E f32[300,300]\n";
  const std::string text = known +
                           "tx300 a300 c300 D(tx,a)+=exp(A(tx,c)*C(c,a));tx300 a300 c300 "
                           "E(tx,a)+=exp(D(tx,c)*C(c,a));";
  const Program program = program_of(text);
  const auto found = [&](std::uint64_t budget) {
    NearMissOptions options;
    options.budget = budget;
    int count = 0;
    for (const char* key : {"one", "two", "three", "four"}) {
      count += find_near_miss(program, program, key, options) ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(found(1000), 0);
  EXPECT_GE(found(10'000'000), 2);
}

}  // namespace

}  // namespace steptp::dataset
