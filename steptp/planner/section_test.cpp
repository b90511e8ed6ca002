#include "steptp/planner/section.h"

#include <gtest/gtest.h>

#include "steptp/text/printer.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

Program program_of(std::string_view text) { return shorthand_program(text, {{"T", "f32"}}); }

constexpr std::string_view kChain = R"(
@input A f32[8,6]
@output E f32[8]
@output G f32[8]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx]=E[tx]+D[tx,a];];B(tx,8)[F[tx]=exp(E[tx]);];B(tx,8)[G[tx]=F[tx]*2;];
)";

TEST(Section, HasWhatItReadsAsInputsAndWhatIsUsedBehindItAsOutputs) {
  const Program program = program_of(kChain);
  View view(program);
  Sections sections(view);
  const auto middle = sections.section(1, 2);
  ASSERT_TRUE(middle);
  ASSERT_EQ(middle->signature.variables.size(), 3U);
  const Variable& e = *middle->signature.find("E");
  EXPECT_EQ(e.role, Role::output);
  const Variable& d = *middle->signature.find("D");
  EXPECT_EQ(d.role, Role::input);
  EXPECT_EQ(d.shape, (std::vector<std::int64_t>{8, 6}));
  EXPECT_EQ(middle->signature.find("F")->role, Role::output);
  EXPECT_EQ(middle->nests.size(), 2U);
  // What is made and used inside is no variable.
  const auto whole = sections.section(0, 4);
  ASSERT_TRUE(whole);
  EXPECT_TRUE(equal(*whole, program));
}

TEST(Section, IsNoneWhereATensorIsWrittenOnBothSides) {
  const Program program = program_of(R"(
@input A f32[8]
@output D f32[8]
B(tx,8)[D[tx]=A[tx];];B(tx,8)[D[tx]=D[tx]+A[tx];];
)");
  View view(program);
  Sections sections(view);
  EXPECT_FALSE(sections.section(1, 1));
  EXPECT_TRUE(sections.section(0, 1));
  EXPECT_TRUE(sections.section(0, 2));
  EXPECT_FALSE(sections.section(0, 3));
}

}  // namespace
}  // namespace steptp::testing
