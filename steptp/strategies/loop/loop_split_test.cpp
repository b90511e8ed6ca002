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

TEST(LoopSplit, OutputLoop) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":3,"kind":"inner"})",
                 "B(tx,8)L(g,2)L(a,3)L(c,4)[D[tx,g*3+a]=D[tx,g*3+a]+A[tx,c]*C[c,g*3+a];];");
}

TEST(LoopSplit, ReductionLoop) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[2]","inner":2,"kind":"inner"})",
                 "B(tx,8)L(a,6)L(g,2)L(c,2)[D[tx,a]=D[tx,a]+A[tx,g*2+c]*C[g*2+c,a];];");
}

TEST(LoopSplit, TheKindGoesInOrOut) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[0]","inner":4,"kind":"inner"})",
                 "L(g,2)B(tx,4)L(a,6)L(c,4)[D[g*4+tx,a]=D[g*4+tx,a]+A[g*4+tx,c]*C[c,a];];");
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[0]","inner":4,"kind":"outer"})",
                 "B(tx,2)L(g,4)L(a,6)L(c,4)[D[tx*4+g,a]=D[tx*4+g,a]+A[tx*4+g,c]*C[c,a];];");
}

TEST(LoopSplit, GuardedTail) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":4,"kind":"inner"})",
                 "B(tx,8)L(g,2)L(a,4)L(c,4)?{g*4+a<6}[D[tx,g*4+a]=D[tx,g*4+a]+A[tx,c]*C[c,g*4+a];];");
}

TEST(LoopSplit, UnitLoop) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":1,"kind":"inner"})",
                 "B(tx,8)L(g,6)L(a,1)L(c,4)[D[tx,g+a]=D[tx,g+a]+A[tx,c]*C[c,g+a];];");
}

TEST(LoopSplit, BareIndexValuesGuardsAndNestedBodies) {
  expect_rewrite("loop_split", R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(a,6)?{a<6}[E:l[]=A[tx,a]*a;L(c,2)[E:l[]=E:l[]+a+c;];D[tx,a]=if_then_else(a<3,E:l[],-a);];
)",
                 R"({"at":"0:loop[1]","inner":2,"kind":"inner"})",
                 "B(tx,8)L(f,3)L(a,2)?{f*2+a<6}[E:l[]=A[tx,f*2+a]*(f*2+a);L(c,2)[E:l[]=E:l[]+(f*2+a)+c;];"
                 "D[tx,f*2+a]=if_then_else(f*2+a<3,E:l[],-(f*2+a));];");
}

TEST(LoopSplit, QuotientsAreResolved) {
  expect_rewrite("loop_split", R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(f,6)[D[tx,f]=A[tx,f//2*2+f%2];];
)",
                 R"({"at":"0:loop[1]","inner":2,"kind":"inner"})", "B(tx,8)L(a,3)L(f,2)[D[tx,a*2+f]=A[tx,a*2+f];];");
}

TEST(LoopSplit, Choices) {
  EXPECT_EQ(listed("loop_split", kMatmul, false).size(), 2U + 2U + 2U + 1U);
  EXPECT_EQ(listed("loop_split", kMatmul, false)[0], R"({"at":"0:loop[0]","inner":2,"kind":"inner"})");
}

// The register E is handed from one thread loop to the other: splitting one of them alone changes whose it is.
constexpr std::string_view kSiblings = R"(
@input A f32[4,8]
@output D f32[4,8]
B(bx,4)[B(tx,8)[E:l[]=A[bx,tx];];B(tx,8)[D[bx,tx]=E:l[];];];
)";

TEST(LoopSplit, RefusesToPartSiblings) {
  expect_refusal("loop_split", kSiblings, R"({"at":"0/0:loop[0]","inner":4,"kind":"inner"})", "scopes");
  expect_refusal("loop_split", kSiblings, R"({"at":"0/1:loop[0]","inner":4,"kind":"outer"})", "scopes");
}

TEST(LoopSplit, ARegisterMayBeSplitWithItsThread) {
  expect_rewrite("loop_split", R"(
@input A f32[4,8]
@output D f32[4,8]
B(bx,4)B(tx,8)[E:l[]=A[bx,tx];D[bx,tx]=E:l[];];
)",
                 R"({"at":"0:loop[1]","inner":4,"kind":"outer"})",
                 "B(bx,4)B(tx,2)L(a,4)[E:l[]=A[bx,tx*4+a];D[bx,tx*4+a]=E:l[];];");
}

TEST(LoopSplit, Refusals) {
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":7,"kind":"inner"})", "divides");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":0,"kind":"inner"})", "divides");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":2,"kind":"outer"})", "kind");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":2,"kind":"both"})", "choice");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":2})", "choice");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":"2","kind":"inner"})", "choice");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":2,"kind":"inner","by":3})", "choice");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[7]","inner":2,"kind":"inner"})", "place");
  expect_refusal("loop_split", kMatmul, R"({"at":"1:loop[0]","inner":2,"kind":"inner"})", "place");
}

TEST(LoopSplit, VStaysInnermost) {
  constexpr std::string_view kVector = R"(
@input A f32[8,4]
@output D f32[8,4]
B(tx,8)V(a,4)[D[tx,a]=A[tx,a];];
)";
  expect_refusal("loop_split", kVector, R"({"at":"0:loop[1]","inner":2,"kind":"outer"})", "kind");
  expect_refusal("loop_split", kVector, R"({"at":"0:loop[1]","inner":3,"kind":"inner"})", "kind");
}

TEST(LoopSplit, RefusesSubscriptsThatDoNotFit) {
  expect_refusal("loop_split", R"(
@input A f32[4]
@output D f32[4]
L(a,4)[D[a]=A[a*4611686018427387904%3];];
)",
                 R"({"at":"0:loop[0]","inner":2,"kind":"inner"})", "subscripts-fit");
}

}  // namespace
}  // namespace steptp::testing
