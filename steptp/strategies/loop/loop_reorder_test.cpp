#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kMatmul = R"(
@input A f32[8,4]
@input C f32[4,6]
@output D f32[8,6]
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)";

TEST(LoopReorder, ReductionLoopOutside) {
  expect_rewrite("loop_reorder", kMatmul, R"({"at":"0:loop[1]","with":2})",
                 "B(tx,8)L(c,4)L(a,6)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];");
}

TEST(LoopReorder, AnyTwoLoops) {
  expect_rewrite("loop_reorder", kMatmul, R"({"at":"0:loop[0]","with":2})",
                 "L(c,4)L(a,6)B(tx,8)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];");
  EXPECT_EQ(listed("loop_reorder", kMatmul, false).size(), 3U);
}

// D(tx,a) needs D(tx-1,a+1): distance (1,-1).
constexpr std::string_view kSkewed = R"(
@input A f32[4,5]
@output D f32[4,5]
L(a,4)L(c,5)[D[a,c]=A[a,c]+if_then_else(a<1|c>3,0,D[a-1,c+1]);];
)";

TEST(LoopReorder, RefusesToTurnADependenceAround) {
  expect_refusal("loop_reorder", kSkewed, R"({"at":"0:loop[0]","with":1})", "order");
}

TEST(LoopReorder, AForwardRecurrenceMayBeReordered) {
  expect_rewrite("loop_reorder", R"(
@input A f32[4,5]
@output D f32[4,5]
L(a,4)L(c,5)[D[a,c]=A[a,c]+if_then_else(c<1,0,D[a,c-1]);];
)",
                 R"({"at":"0:loop[0]","with":1})", "L(c,5)L(a,4)[D[a,c]=A[a,c]+if_then_else(c<1,0,D[a,c-1]);];");
}

TEST(LoopReorder, AFloatAddedToAnIntegerIsCutOffEachTime) {
  expect_refusal("loop_reorder", R"(
@input A f32[4,5]
@output D i32[1]
L(a,4)L(c,5)[D:i32[0]=D:i32[0]+A[a,c];];
)",
                 R"({"at":"0:loop[0]","with":1})", "order");
}

TEST(LoopReorder, RefusesVOutside) {
  expect_refusal("loop_reorder", R"(
@input A f32[4,4]
@output D f32[4,4]
L(a,4)V(c,4)[D[a,c]=A[a,c];];
)",
                 R"({"at":"0:loop[0]","with":1})", "innermost");
}

TEST(LoopReorder, RefusesOneLoop) {
  expect_no_choice("loop_reorder", R"(
@input A f32[4]
@output D f32[4]
L(a,4)[D[a]=A[a];];
)",
                   "axes");
}

// The register lives as long as its thread: with the serial loop outside the first B it would be lost between launches.
TEST(LoopReorder, RefusesToLoseARegister) {
  expect_refusal("loop_reorder", R"(
@input A f32[4,5]
@output D f32[4,5]
B(tx,4)L(c,5)[E:l[]=E:l[]+A[tx,c];D[tx,c]=E:l[];];
)",
                 R"({"at":"0:loop[0]","with":1})", "scopes");
}

// With the barrier between rounds of k the neighbour's element is read after it was written; inside the thread loop
// not.
TEST(LoopReorder, RefusesToLoseABarrier) {
  expect_refusal("loop_reorder", R"(
@input A f32[2,4,5]
@output D f32[2,4,5]
B(bx,2)L(k,5)B(tx,4)[D[bx,tx,k]=A[bx,tx,k]+if_then_else(k<1|tx<1,0,D[bx,tx-1,k-1]);];
)",
                 R"({"at":"0:loop[1]","with":2})", "races");
}

}  // namespace
}  // namespace steptp::testing
