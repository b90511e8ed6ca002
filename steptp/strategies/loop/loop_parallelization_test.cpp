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

TEST(LoopParallelization, OutputLoop) {
  expect_rewrite("loop_parallelization", kMatmul, R"({"at":"0:loop[1]"})",
                 "B(tx,8)P(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];");
  EXPECT_EQ(listed("loop_parallelization", kMatmul, true).size(), 1U);
}

TEST(LoopParallelization, RefusesReductionsRecurrencesAndSharedRegisters) {
  expect_refusal("loop_parallelization", kMatmul, R"({"at":"0:loop[2]"})", "not-carried");
  expect_refusal("loop_parallelization", R"(
@input A f32[4,5]
@output D f32[4,5]
B(tx,4)L(a,5)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);];
)",
                 R"({"at":"0:loop[1]"})", "not-carried");
  expect_refusal("loop_parallelization", R"(
@input A f32[4,5]
@output D f32[4,5]
B(tx,4)L(a,5)[E:l[]=A[tx,a];D[tx,a]=E:l[]*2;];
)",
                 R"({"at":"0:loop[1]"})", "not-carried");
  expect_refusal("loop_parallelization", R"(
@input A f32[4]
@input C i64[4] [0,4)
@output D f32[4]
L(c,4)[D[c]=0;];
L(a,4)[D[C:i64[a]]=A[a];];
)",
                 R"({"at":"1:loop[0]"})", "not-carried");
}

TEST(LoopParallelization, RefusesOtherKinds) {
  expect_refusal("loop_parallelization", kMatmul, R"({"at":"0:loop[0]"})", "serial");
}

TEST(LoopParallelization, DisjointHalvesDoNotMeet) {
  expect_rewrite("loop_parallelization", R"(
@input A f32[8]
@output D f32[16]
L(a,8)[D[a]=A[a];D[a+8]=D[a]*2;];
)",
                 R"({"at":"0:loop[0]"})", "P(a,8)[D[a]=A[a];D[a+8]=D[a]*2;];");
}

}  // namespace
}  // namespace steptp::testing
