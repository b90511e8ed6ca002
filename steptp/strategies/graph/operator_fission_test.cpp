#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(OperatorFission, AtEachCut) {
  constexpr std::string_view kThree = R"(
@input A f32[8,6]
@output F f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;E[tx,a]=exp(D[tx,a]);F[tx,a]=E[tx,a]+D[tx,a];];
)";
  expect_rewrite("operator_fission", kThree, R"({"at":"0","cut":1})",
                 "B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx,a]=exp(D[tx,a]);F[tx,a]=E[tx,a]+D[tx,a];];");
  expect_rewrite("operator_fission", kThree, R"({"at":"0","cut":2})",
                 "B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;E[tx,a]=exp(D[tx,a]);];B(tx,8)L(a,6)[F[tx,a]=E[tx,a]+D[tx,a];];");
  EXPECT_EQ(listed("operator_fission", kThree, false).size(), 2U);
}

// The thread loop is cut inside its kernel; registers stay with their threads.
TEST(OperatorFission, InsideAKernel) {
  expect_rewrite("operator_fission", R"(
@input A f32[2,8]
@output D f32[2,8]
B(bx,2)[B(tx,8)[E:l[]=A[bx,tx];D[bx,tx]=E:l[]*2;];];
)",
                 R"({"at":"0/0","cut":1})", "B(bx,2)[B(tx,8)[E:l[]=A[bx,tx];];B(tx,8)[D[bx,tx]=E:l[]*2;];];");
}

// What a fusion put together comes apart as it was.
TEST(OperatorFission, ANestOfItsOwnJoinsItsLoops) {
  expect_rewrite("operator_fission", R"(
@input A f32[8,6]
@output D f32[8]
@output E f32[8]
B(tx,8)[L(a,6)?{a<5}[D[tx]=D[tx]+A[tx,a];];E[tx]=D[tx];];
)",
                 R"({"at":"0","cut":1})", "B(tx,8)L(a,6)?{a<5}[D[tx]=D[tx]+A[tx,a];];B(tx,8)[E[tx]=D[tx];];");
}

TEST(OperatorFission, GuardsAreCopied) {
  expect_rewrite("operator_fission", R"(
@input A f32[8]
@output D f32[8]
@output E f32[8]
L(a,9)?{a<8}[D[a]=A[a];E[a]=D[a];];
)",
                 R"({"at":"0","cut":1})", "L(a,9)?{a<8}[D[a]=A[a];];L(a,9)?{a<8}[E[a]=D[a];];");
}

TEST(OperatorFission, RefusesATemporaryThatWouldHaveToBeExpanded) {
  expect_refusal("operator_fission", R"(
@input A f32[8]
@output D f32[8]
L(a,8)[G[]=A[a];D[a]=G[]*2;];
)",
                 R"({"at":"0","cut":1})", "forward");
}

TEST(OperatorFission, RefusesABackwardDependence) {
  expect_refusal("operator_fission", R"(
@input A f32[8]
@output D f32[8]
@output E f32[8]
L(a,8)[D[a]=if_then_else(a<1,0,E[a-1]);E[a]=D[a]+A[a];];
)",
                 R"({"at":"0","cut":1})", "forward");
}

TEST(OperatorFission, RefusesToPartARegisterFromItsKernel) {
  expect_refusal("operator_fission", R"(
@input A f32[8]
@output D f32[8]
B(tx,8)[E:l[]=A[tx];D[tx]=E:l[]*2;];
)",
                 R"({"at":"0","cut":1})", "scopes");
}

TEST(OperatorFission, Refusals) {
  constexpr std::string_view kOne = "@input A f32[8]\n@output D f32[8]\nB(tx,8)[D[tx]=A[tx];];\n";
  expect_refusal("operator_fission", kOne, R"({"at":"0","cut":1})", "items");
  expect_refusal("operator_fission", kOne, R"({"at":"0/0","cut":1})", "place");
}

}  // namespace
}  // namespace steptp::testing
