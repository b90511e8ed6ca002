#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(ExpressionReorder, IndependentExpressions) {
  expect_rewrite("expression_reorder", R"(
@input A f32[8]
@input C f32[8]
@output F f32[8]
B(tx,8)[D[tx]=log(A[tx]);];B(tx,8)[E[tx]=log(C[tx]);];B(tx,8)[F[tx]=D[tx]+E[tx];];
)",
                 R"({"at":"0"})", "B(tx,8)[E[tx]=log(C[tx]);];B(tx,8)[D[tx]=log(A[tx]);];B(tx,8)[F[tx]=D[tx]+E[tx];];");
}

TEST(ExpressionReorder, DisjointHalvesAndUpdatesByOneOperator) {
  expect_rewrite("expression_reorder", R"(
@input A f32[8]
@output D f32[16]
B(tx,8)[D[tx]=A[tx];];B(tx,8)[D[tx+8]=A[tx]*2;];
)",
                 R"({"at":"0"})", "B(tx,8)[D[tx+8]=A[tx]*2;];B(tx,8)[D[tx]=A[tx];];");
  expect_rewrite("expression_reorder", R"(
@input A f32[8]
@output D f32[8]
B(tx,8)[D[tx]=D[tx]+A[tx];D[tx]=D[tx]+A[7-tx];];
)",
                 R"({"at":"0/0"})", "B(tx,8)[D[tx]=D[tx]+A[7-tx];D[tx]=D[tx]+A[tx];];");
}

// A write after a read, two writes, and a table of indices that is read inside a subscript.
TEST(ExpressionReorder, RefusesEveryKindOfDependence) {
  const auto refused = [](std::string_view program) {
    expect_refusal("expression_reorder", program, R"({"at":"0"})", "independent");
  };
  refused("@input A f32[8]\n@output E f32[8]\nB(tx,8)[D[tx]=A[tx];];B(tx,8)[E[tx]=D[tx];];\n");
  refused("@input A f32[8]\n@output D f32[8]\nB(tx,8)[D[tx]=A[tx];];B(tx,8)[D[tx]=A[tx]*2;];\n");
  refused(
      "@input A f32[8]\n@output D f32[8]\n@output E f32[8]\n"
      "B(tx,8)[D[tx]=A[tx];];B(tx,8)[E[tx]=D[tx];];\n");
  refused("@input A f32[8]\n@output D f32[8]\nB(tx,8)[E:i64[tx]=7-tx;];B(tx,8)[D[tx]=A[E:i64[tx]];];\n");
  expect_refusal("expression_reorder",
                 "@input A f32[8]\n@output E f32[8]\n@output D f32[8]\n"
                 "B(tx,8)[D[tx]=A[tx];];B(tx,8)[E[tx]=D[7-tx];];B(tx,8)[D[tx]=A[tx]*2;];\n",
                 R"({"at":"1"})", "independent");
}

TEST(ExpressionReorder, RefusesTheLast) {
  constexpr std::string_view kOne = "@input A f32[8]\n@output D f32[8]\nB(tx,8)[D[tx]=A[tx];];\n";
  expect_refusal("expression_reorder", kOne, R"({"at":"0"})", "follows");
  expect_refusal("expression_reorder", kOne, R"({"at":"1"})", "place");
  expect_refusal("expression_reorder", kOne, R"({"at":"0:loop[0]"})", "place");
}

}  // namespace
}  // namespace steptp::testing
