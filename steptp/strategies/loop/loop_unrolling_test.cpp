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

TEST(LoopUnrolling, AnySerialLoop) {
  expect_rewrite("loop_unrolling", kMatmul, R"({"at":"0:loop[2]"})",
                 "B(tx,8)L(a,6)U(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];");
  expect_rewrite("loop_unrolling", kMatmul, R"({"at":"0:loop[1]"})",
                 "B(tx,8)U(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];");
  EXPECT_EQ(listed("loop_unrolling", kMatmul, true).size(), 2U);
}

TEST(LoopUnrolling, RefusesABoundLoop) { expect_refusal("loop_unrolling", kMatmul, R"({"at":"0:loop[0]"})", "serial"); }

TEST(LoopUnrolling, CountsNestedUnrolledLoopsAndEquations) {
  constexpr std::string_view kNested = R"(
@input A f32[40,30]
@output D f32[40,30]
@output E f32[40]
L(a,40)[E[a]=A[a,0];U(c,30)[D[a,c]=A[a,c];];];
)";
  expect_refusal("loop_unrolling", kNested, R"({"at":"0:loop[0]"})", "budget");
  expect_rewrite("loop_unrolling", R"(
@input A f32[34,30]
@output D f32[34,30]
L(a,34)U(c,30)[D[a,c]=A[a,c];];
)",
                 R"({"at":"0:loop[0]"})", "U(a,34)U(c,30)[D[a,c]=A[a,c];];");
}

}  // namespace
}  // namespace steptp::testing
