#include <gtest/gtest.h>

#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kSums = R"(
@input A f32[3,40]
@output D f32[3,40]
B(tx,3)L(a,40)L(c,40)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];
)";
constexpr std::string_view kTriangle = R"(
@input A f32[36,4]
@input C f32[4,36]
@output E f32[36,36]
B(tx,36)L(a,36)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];B(tx,36)L(a,36)[E[tx,a]=if_then_else(a<=tx,D[tx,a],0);];
)";

TEST(BoundsMove, WhatAddsNothingIsLeftOut) {
  expect_move("bounds", kSums, R"({"at":"0/0","form":"neutral","inner":0})",
              "B(tx,3)L(a,40)L(c,40)?{c<=a}[D[tx,a]=D[tx,a]+A[tx,c];];");
}

TEST(BoundsMove, RoundsAreSkippedAsAWhole) {
  expect_move("bounds", kSums, R"({"at":"0/0","form":"neutral","inner":8})",
              "B(tx,3)L(a,40)L(k,5)?{k*8<=a}[L(c,8)?{k*8+c<=a}[D[tx,a]=D[tx,a]+A[tx,k*8+c];];];");
  // The last round is not whole.
  expect_move("bounds", kSums, R"({"at":"0/0","form":"neutral","inner":16})",
              "B(tx,3)L(a,40)L(k,3)?{k*16<=a}[L(c,16)?{k*16+c<=a&k*16+c<40}[D[tx,a]=D[tx,a]+A[tx,k*16+c];];];");
}

TEST(BoundsMove, WhatNobodyNeedsIsNotComputed) {
  expect_move("bounds", kTriangle, R"({"at":"0/0","form":"needed"})",
              "B(tx,36)L(a,36)L(c,4)?{a<=tx}[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];"
              "B(tx,36)L(a,36)[E[tx,a]=if_then_else(a<=tx,D[tx,a],0);];");
  expect_move("bounds", kTriangle, R"({"at":"0/0","form":"needed","inner":12})",
              "B(tx,36)L(k,3)?{k*12<=tx}[L(a,12)L(c,4)?{k*12+a<=tx}"
              "[D[tx,k*12+a]=D[tx,k*12+a]+A[tx,c]*C[c,k*12+a];];];"
              "B(tx,36)L(a,36)[E[tx,a]=if_then_else(a<=tx,D[tx,a],0);];");
}

TEST(BoundsMove, Refusals) {
  expect_move_refusal("bounds", kSums, R"({"at":"0/0","form":"needed"})", "step", "range_cut refused [under-condition]");
  expect_move_refusal("bounds", kTriangle, R"({"at":"0/0","form":"neutral"})", "step",
                      "range_cut refused [adds-nothing]");
  expect_move_refusal("bounds", kSums, R"({"at":"0/0","form":"neutral","inner":1})", "inner", "rounds of 1 of 40");
  expect_move_refusal("bounds", kSums, R"({"at":"0/0","form":"neutral","inner":40})", "inner", "rounds of 40 of 40");
  expect_move_refusal("bounds", R"(
@input A f32[6]
@output D f32[6]
B(tx,6)B(ty,6)[D[tx]=D[tx]+if_then_else(ty<=tx,A[ty],0);];
)",
                      R"({"at":"0/0","form":"neutral","inner":2})", "inner", "compares no L loop");
}

}  // namespace
}  // namespace steptp::testing
