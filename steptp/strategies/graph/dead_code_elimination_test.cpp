#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(DeadCode, ANestAndAnEquationInABody) {
  expect_rewrite("dead_code_elimination", R"(
@input A f32[8]
@output C f32[8]
B(tx,8)[D[tx]=exp(A[tx]);];B(tx,8)[C[tx]=A[tx]*2;E:l[]=A[tx];];
)",
                 R"({"at":"0/0"})", "B(tx,8)[C[tx]=A[tx]*2;E:l[]=A[tx];];");
  expect_rewrite("dead_code_elimination", R"(
@input A f32[8,3]
@output C f32[8]
B(tx,8)[C[tx]=A[tx,0]*2;L(a,3)[E:l[]=E:l[]+A[tx,a];];];
)",
                 R"({"at":"0/1/0"})", "B(tx,8)[C[tx]=A[tx,0]*2;];");
}

// Two expressions write two halves of the output.
TEST(DeadCode, RefusesOutputsAndWhatIsRead) {
  constexpr std::string_view kHalves = R"(
@input A f32[8]
@output D f32[16]
B(tx,8)[E[tx]=A[tx]*2;];B(tx,8)[D[tx]=E[tx];];B(tx,8)[D[tx+8]=A[tx];];
)";
  expect_refusal("dead_code_elimination", kHalves, R"({"at":"1/0"})", "unused");
  expect_refusal("dead_code_elimination", kHalves, R"({"at":"0/0"})", "unused");
  expect_refusal("dead_code_elimination", kHalves, R"({"at":"0"})", "place");
}

// The last equation goes first: it reads what the one before has made.
TEST(DeadCode, RefusesWhatADeadEquationReads) {
  constexpr std::string_view kChain = R"(
@input A f32[8]
@output C f32[8]
L(a,8)[C[a]=A[a];D[a]=A[a];D[a]=D[a]*2+1;];
)";
  expect_refusal("dead_code_elimination", kChain, R"({"at":"0/1"})", "unused");
  expect_rewrite("dead_code_elimination", kChain, R"({"at":"0/2"})", "L(a,8)[C[a]=A[a];D[a]=A[a];];");
}

// What is only ever added to goes in any order: an accumulation begins with nothing where nothing is there.
TEST(DeadCode, TakesOutWhatIsOnlyAccumulatedInto) {
  constexpr std::string_view kBias = R"(
@input A f32[8,3]
@input F f32[8]
@output C f32[8]
B(tx,8)L(a,3)[D[tx]=D[tx]+A[tx,a];];B(tx,8)[D[tx]=D[tx]+F[tx];];B(tx,8)[C[tx]=F[tx]*2;];
)";
  expect_rewrite("dead_code_elimination", kBias, R"({"at":"0/0"})",
                 "B(tx,8)[D[tx]=D[tx]+F[tx];];B(tx,8)[C[tx]=F[tx]*2;];");
  expect_rewrite("dead_code_elimination", kBias, R"({"at":"1/0"})",
                 "B(tx,8)L(a,3)[D[tx]=D[tx]+A[tx,a];];B(tx,8)[C[tx]=F[tx]*2;];");
  // The sum in C reads D.
  expect_refusal("dead_code_elimination", R"(
@input A f32[8,3]
@output C f32[8]
B(tx,8)L(a,3)[D[tx]=D[tx]+A[tx,a];];B(tx,8)[C[tx]=C[tx]+D[tx];];
)",
                 R"({"at":"0/0"})", "unused");
}

TEST(DeadCode, RefusesToLeaveNothing) {
  expect_refusal("dead_code_elimination", "@input A f32[8]\n@output D f32[8]\nB(tx,8)[E[tx]=A[tx];];\n",
                 R"({"at":"0/0"})", "not-empty");
}

}  // namespace
}  // namespace steptp::testing
