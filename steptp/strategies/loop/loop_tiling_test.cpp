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

TEST(LoopTiling, OutputLoops) {
  expect_rewrite("loop_tiling", kMatmul, R"({"at":"0:loop[0]","first":4,"second":3})",
                 "L(g,2)L(h,2)B(tx,4)L(a,3)L(c,4)[D[g*4+tx,h*3+a]=D[g*4+tx,h*3+a]+A[g*4+tx,c]*C[c,h*3+a];];");
}

TEST(LoopTiling, AReductionLoop) {
  expect_rewrite("loop_tiling", kMatmul, R"({"at":"0:loop[1]","first":2,"second":2})",
                 "B(tx,8)L(g,3)L(h,2)L(a,2)L(c,2)[D[tx,g*2+a]=D[tx,g*2+a]+A[tx,h*2+c]*C[h*2+c,g*2+a];];");
}

TEST(LoopTiling, GuardedTiles) {
  expect_rewrite("loop_tiling", kMatmul, R"({"at":"0:loop[1]","first":4,"second":3})",
                 "B(tx,8)L(g,2)L(h,2)L(a,4)L(c,3)?{g*4+a<6&h*3+c<4}"
                 "[D[tx,g*4+a]=D[tx,g*4+a]+A[tx,h*3+c]*C[h*3+c,g*4+a];];");
}

TEST(LoopTiling, BareValues) {
  expect_rewrite("loop_tiling", R"(
@output D f32[4,6]
L(a,4)L(c,6)[D[a,c]=a*10+c;];
)",
                 R"({"at":"0:loop[0]","first":2,"second":3})",
                 "L(g,2)L(h,2)L(a,2)L(c,3)[D[g*2+a,h*3+c]=(g*2+a)*10+(h*3+c);];");
}

TEST(LoopTiling, Refusals) {
  expect_refusal("loop_tiling", kMatmul, R"({"at":"0:loop[2]","first":2,"second":2})", "axes");
  expect_refusal("loop_tiling", kMatmul, R"({"at":"0:loop[1]","first":6,"second":2})", "divides");
  expect_refusal("loop_tiling", kMatmul, R"({"at":"0:loop[1]","first":3,"second":1})", "divides");
  expect_refusal("loop_tiling", R"(
@input A f32[4,5]
@output D f32[4,5]
L(a,4)L(c,5)[D[a,c]=A[a,c]+if_then_else(a<1|c>3,0,D[a-1,c+1]);];
)",
                 R"({"at":"0:loop[0]","first":2,"second":2})", "order");
  expect_refusal("loop_tiling", R"(
@input A f32[4,4]
@output D f32[4,4]
L(a,4)V(c,4)[D[a,c]=A[a,c];];
)",
                 R"({"at":"0:loop[0]","first":2,"second":3})", "innermost");
  expect_refusal("loop_tiling", R"(
@input A f32[4,4]
@output D f32[4,4]
L(a,4)L(c,4)[D[a,c]=A[a,c*4611686018427387904%3];];
)",
                 R"({"at":"0:loop[0]","first":2,"second":2})", "subscripts-fit");
}

// With tiles outside, each tile is a launch of its own, and the register E would not last from one to the next.
TEST(LoopTiling, RefusesToLoseARegister) {
  expect_refusal("loop_tiling", R"(
@input A f32[4,4]
@output D f32[4,4]
B(tx,4)L(c,4)[E:l[]=E:l[]+A[tx,c];D[tx,c]=E:l[];];
)",
                 R"({"at":"0:loop[0]","first":2,"second":2})", "scopes");
}

// Threads write the same, which a guard on their index would tell apart.
TEST(LoopTiling, NoGuardAroundWhatAllThreadsWrite) {
  constexpr std::string_view kSame = R"(
@input A f32[4]
@output D f32[4]
B(tx,6)L(a,4)[D[a]=A[a];];
)";
  expect_refusal("loop_tiling", kSame, R"({"at":"0:loop[0]","first":4,"second":2})", "innermost");
  expect_refusal("loop_split", kSame, R"({"at":"0:loop[0]","inner":4,"kind":"inner"})", "kind");
  expect_rewrite("loop_tiling", kSame, R"({"at":"0:loop[0]","first":3,"second":2})",
                 "L(g,2)L(h,2)B(tx,3)L(a,2)[D[h*2+a]=A[h*2+a];];");
}

}  // namespace
}  // namespace steptp::testing
