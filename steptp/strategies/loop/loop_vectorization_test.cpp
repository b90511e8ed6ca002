#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

void expect_refused(std::string_view header, std::string_view nest, std::string_view place, std::string_view why) {
  expect_refusal("loop_vectorization", std::string(header) + std::string(nest) + "\n",
                 R"({"at":")" + std::string(place) + R"("})", why);
}

TEST(LoopVectorization, Innermost) {
  expect_rewrite("loop_vectorization", R"(
@input A f32[8,6,4]
@output D f32[8,6,4]
B(tx,8)L(a,6)L(c,4)[D[tx,a,c]=A[tx,a,c]*2;];
)",
                 R"({"at":"0:loop[2]"})", "B(tx,8)L(a,6)V(c,4)[D[tx,a,c]=A[tx,a,c]*2;];");
}

TEST(LoopVectorization, OffsetsAndOperandsThatStay) {
  expect_rewrite("loop_vectorization", R"(
@input A f16[8,16]
@input C f32[8]
@output D f16[8,8]
B(tx,8)L(c,8)[D:f16[tx,c]=A:f16[tx,c+8]*C[tx];];
)",
                 R"({"at":"0:loop[1]"})", "B(tx,8)V(c,8)[D:f16[tx,c]=A:f16[tx,c+8]*C[tx];];");
}

// Rows of 15 elements, fused with the loop over rows: what is written is one run of 8 elements for each a.
constexpr std::string_view kFused = R"(
@input A f32[8,15]
@input C f32[15]
@output D f32[8,15]
B(tx,30)L(c,4)[D[(tx*4+c)//15,(tx*4+c)%15]=A[(tx*4+c)//15,(tx*4+c)%15]*C[(tx*4+c)%15];];
)";

TEST(LoopVectorization, UnitStrideOfTheOffset) {
  expect_rewrite("loop_vectorization", kFused, R"({"at":"0:loop[1]"})",
                 "B(tx,30)V(c,4)[D[(tx*4+c)//15,(tx*4+c)%15]=A[(tx*4+c)//15,(tx*4+c)%15]*C[(tx*4+c)%15];];");
  EXPECT_TRUE(listed("loop_vectorization", kFused, false).empty());
  EXPECT_EQ(listed("loop_vectorization", kFused, true), std::vector<std::string>{R"({"at":"0:loop[1]"})"});
}

TEST(LoopVectorization, WhatIsReadMayGoLaneByLane) {
  expect_rewrite("loop_vectorization", R"(
@input A f32[8,8]
@output D f32[8,8]
B(tx,8)L(a,2)L(c,4)[D[tx,a*4+c]=A[a*4+c,tx];];
)",
                 R"({"at":"0:loop[2]"})", "B(tx,8)L(a,2)V(c,4)[D[tx,a*4+c]=A[a*4+c,tx];];");
}

TEST(LoopVectorization, LanesThatFillTheNarrowestTensor) {
  constexpr std::string_view kMixed = R"(
@input A f16[8,8]
@output D f32[8,8]
B(tx,8)L(c,8)[D[tx,c]=A:f16[tx,c]*2;];
)";
  expect_rewrite("loop_vectorization", kMixed, R"({"at":"0:loop[1]"})", "B(tx,8)V(c,8)[D[tx,c]=A:f16[tx,c]*2;];");
  EXPECT_TRUE(listed("loop_vectorization", kMixed, false).empty());
}

TEST(LoopVectorization, AGuardThatCutsOffLanes) {
  constexpr std::string_view kTail = R"(
@input A f32[3,5]
@output D f32[3,5]
B(tx,4)L(c,4)?{tx*4+c<15&tx<7}[D[(tx*4+c)//5,(tx*4+c)%5]=A[(tx*4+c)//5,(tx*4+c)%5]*2;];
)";
  expect_rewrite("loop_vectorization", kTail, R"({"at":"0:loop[1]","rest":1})",
                 "B(tx,4)?{tx<7}[V(c,4)?{tx*4+3<15}[D[(tx*4+c)//5,(tx*4+c)%5]=A[(tx*4+c)//5,(tx*4+c)%5]*2;];"
                 "L(c,4)?{tx*4+3>=15&tx*4+c<15}[D[(tx*4+c)//5,(tx*4+c)%5]=A[(tx*4+c)//5,(tx*4+c)%5]*2;];];");
  EXPECT_TRUE(listed("loop_vectorization", kTail, false).empty());
  EXPECT_EQ(listed("loop_vectorization", kTail, true), std::vector<std::string>{R"({"at":"0:loop[1]","rest":1})"});
  // A lower bound is hardest for the first lane, and for the last where the index counts down.
  expect_rewrite("loop_vectorization", R"(
@input A f32[4,4]
@output D f32[4,4]
B(tx,4)L(c,4)?{tx*4-c>3}[D[tx,c]=A[tx,c];];B(tx,4)L(c,4)?{tx*4-c<=3}[D[tx,c]=0;];
)",
                 R"({"at":"0:loop[1]","rest":1})",
                 "B(tx,4)[V(c,4)?{tx*4-3>3}[D[tx,c]=A[tx,c];];L(c,4)?{tx*4-3<=3&tx*4-c>3}[D[tx,c]=A[tx,c];];];"
                 "B(tx,4)L(c,4)?{tx*4-c<=3}[D[tx,c]=0;];");
}

TEST(LoopVectorization, RestsThatAreRefused) {
  const auto refused = [](std::string_view nest, std::string_view place, int rest, std::string_view why) {
    expect_refusal("loop_vectorization", "@input A f32[8,8]\n@output D f32[8,8]\n" + std::string(nest) + "\n",
                   R"({"at":")" + std::string(place) + R"(","rest":)" + std::to_string(rest) + "}", why);
  };
  refused("B(tx,8)L(a,2)L(c,4)[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[2]", 1, "rest");
  refused("B(tx,8)L(a,2)L(c,4)?{a*c<9}[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[2]", 1, "rest");
  refused("B(tx,8)L(a,2)L(c,4)?{1<=a+c<9}[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[2]", 1, "rest");
  refused("B(tx,8)L(a,2)L(c,4)?{a+c!=2}[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[2]", 1, "rest");
  refused("B(tx,8)L(a,2)L(c,4)?{a+c<4&c<3}[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[2]", 1, "rest");
  refused("L(c,4)?{c<9}[D[0,c]=A[0,c];];", "0:loop[0]", 1, "rest");
  refused("B(tx,8)L(a,2)L(c,4)?{a*4+c<6}[D[0,a*4+c]=D[0,a*4+c]+A[tx,a*4+c];];", "0:loop[2]", 1, "rest");
  refused("B(tx,8)L(a,2)L(c,4)?{a*4+c<6}[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[2]", 2, "choice");
}

TEST(LoopVectorization, Refusals) {
  constexpr std::string_view kHeader = "@input A f32[8,8]\n@output D f32[8,8]\n";
  expect_refused(kHeader, "B(tx,8)L(c,8)[D[tx,c]=A[tx,c];];", "0:loop[1]", "width");
  expect_refused(kHeader, "B(tx,8)L(a,2)L(c,4)[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[1]", "innermost");
  expect_refused(kHeader, "B(tx,8)L(a,2)[L(c,4)[D[tx,a*4+c]=A[tx,a*4+c];];];", "0:loop[1]", "innermost");
  expect_refused(kHeader, "B(tx,8)L(a,3)L(c,4)?{a*4+c<8}[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[2]", "innermost");
  expect_refused(kHeader, "B(tx,8)L(a,2)L(c,4)[D[a*4+c,tx]=A[tx,a*4+c];];", "0:loop[2]", "unit-stride");
  // The second digit wraps in the middle of a vector: rows of 6, of which 5 are used.
  expect_refused("@input A f32[2,6]\n@output D f32[2,6]\n",
                 "L(a,2)L(c,4)[D[(a*4+c)//5,(a*4+c)%5]=A[(a*4+c)//5,(a*4+c)%5];];", "0:loop[1]", "unit-stride");
  expect_refused(kHeader, "B(tx,8)L(a,4)L(c,2)[D[tx,c*4+a]=A[tx,c*4+a];];", "0:loop[2]", "unit-stride");
  expect_refused(kHeader, "B(tx,8)[D[tx,0]=A[tx,0];];", "0:loop[0]", "serial");
  expect_refused("@input A f32[8,4]\n@output D f32[8]\n", "B(tx,8)L(c,4)[D[tx]=D[tx]+A[tx,c];];", "0:loop[1]",
                 "not-carried");
  expect_refused("@input A f32[8,4]\n@output D f32[8,4]\n",
                 "B(tx,8)L(c,4)[D[tx,c]=A[tx,c]+if_then_else(c<1,0,D[tx,c-1]);];", "0:loop[1]", "not-carried");
}

}  // namespace
}  // namespace steptp::testing
