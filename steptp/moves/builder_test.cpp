#include "steptp/moves/builder.h"

#include <gtest/gtest.h>

#include "steptp/text/printer.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kProgram = R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];
)";

TEST(MoveBuilder, FollowsHandlesAndCollectsTheRecipe) {
  MoveBuilder builder(move_program(kProgram));
  const Handle& inner = builder.follow(*parse_site("0:loop[1]"));
  const Handle& nest = builder.follow(*parse_site("0"));
  ASSERT_TRUE(builder.step("loop_split", inner, {{"inner", 3}, {"kind", "inner"}}));
  EXPECT_EQ(inner.sites().size(), 2U);
  EXPECT_TRUE(nest.only());
  ASSERT_TRUE(builder.step("loop_unrolling", inner.sites()[1]));
  EXPECT_EQ(builder.steps(), 2U);
  EXPECT_EQ(builder.added("loop").size(), 1U);
  EXPECT_EQ(to_text(builder.added("loop")[0]), "0:loop[2]");
  const Moved moved = builder.take();
  EXPECT_EQ(print(moved.program), "B^{8}_{tx=0}L^{2}_{c=0}U^{3}_{a=0}[D^{f32,g}_{tx,c*3+a}=A^{f32,g}_{tx,c*3+a}*2;];");
  EXPECT_EQ(to_json(moved.recipe).dump(),
            R"({"steps":[{"strategy":"loop_split","choice":{"at":"0:loop[1]","inner":3,"kind":"inner"}},)"
            R"({"strategy":"loop_unrolling","choice":{"at":"0:loop[2]"}}]})");
  EXPECT_EQ(moved.map.of(*parse_site("0:loop[1]")).size(), 2U);
}

TEST(MoveBuilder, NothingIsMadeAfterARefusal) {
  MoveBuilder builder(move_program(kProgram));
  EXPECT_FALSE(builder.may_step("loop_split", *parse_site("0:loop[1]"), {{"inner", 7}, {"kind", "inner"}}));
  EXPECT_FALSE(builder.refusal()) << "a step that may be left out does not end the move";
  EXPECT_FALSE(builder.step("loop_split", *parse_site("0:loop[1]"), {{"inner", 7}, {"kind", "inner"}}));
  ASSERT_TRUE(builder.refusal());
  EXPECT_EQ(builder.refusal()->precondition->id, "step");
  EXPECT_EQ(builder.refusal()->message,
            "step 1, loop_split refused [divides] at 0:loop[1]: 6 iterations cannot be split into inner loops of 7");
  EXPECT_FALSE(builder.step("loop_unrolling", *parse_site("0:loop[1]")));
  EXPECT_EQ(builder.steps(), 0U);
}

TEST(MoveBuilder, APartThatIsInSeveralPlacesIsNoPlace) {
  MoveBuilder builder(move_program(kProgram));
  const Handle& inner = builder.follow(*parse_site("0:loop[1]"));
  ASSERT_TRUE(builder.step("loop_split", inner, {{"inner", 3}, {"kind", "inner"}}));
  EXPECT_FALSE(builder.step("loop_unrolling", inner));
  EXPECT_EQ(builder.refusal()->message, "step 2, loop_unrolling: the part is at 0:loop[1], 0:loop[2]");
}

}  // namespace
}  // namespace steptp::testing
