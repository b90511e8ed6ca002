#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kProgram = R"(
@input A f32[8]
@input C f32[8]
@input F f32[8]
@output D f32[8]
B(tx,8)[D[tx]=A[tx]*C[tx]+A[tx]*F[tx];];
)";

TEST(AlgebraMove, IsOneLaw) {
  expect_move("algebra", kProgram, R"({"at":"0/0:right","strategy":"collect","by":"0/0:right.0.0"})",
              "B(tx,8)[D[tx]=A[tx]*(C[tx]+F[tx]);];");
}

TEST(AlgebraMove, ComputesOnceWhatALoopDoesNotChange) {
  expect_move("algebra", R"(
@input A f32[8]
@input C f32[4]
@output D f32[8,4]
B(tx,8)L(c,4)[D[tx,c]=exp(A[tx])*C[c];];
)",
              R"({"at":"0:loop[1]","strategy":"hoist","of":"0/0:right.0"})",
              "B(tx,8)[E:l[]=exp(A[tx]);L(c,4)[D[tx,c]=E:l[]*C[c];];];");
}

/// Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp in small: what is added up behind the product is one of its operands.
TEST(AlgebraMove, PullsASumThroughAContraction) {
  constexpr std::string_view kBefore =
      "B(tx,9)L(a,5)L(c,14)[C[tx,a]=C[tx,a]+A[tx,c]*J[a,c];];B(tx,9)L(a,5)[C[tx,a]=C[tx,a]+K[a];];";
  const std::string program = concat("@input A f32[9,14]\n@param J f32[5,14]\n@param K f32[5]\n@output D f32[9,1]\n",
                                     kBefore, "B(tx,9)L(a,5)[D[tx,0]=D[tx,0]+C[tx,a];];\n");
  const std::string_view bias = "B(tx,9)L(a,5)[D[tx,0]=D[tx,0]+K[a];];";
  const std::string_view pulled = "L(c,14)L(a,5)[E[c]=E[c]+J[a,c];];B(tx,9)L(c,14)[D[tx,0]=D[tx,0]+A[tx,c]*E[c];];";
  expect_move("algebra", program, R"({"at":"2","strategy":"summed_operand"})", concat(kBefore, pulled, bias));
  expect_move_refusal("algebra", program, R"({"at":"0","strategy":"summed_operand"})", "step",
                      "summed_operand refused");
}

TEST(AlgebraMove, Refuses) {
  expect_move_refusal("algebra", kProgram, R"({"at":"0","strategy":"loop_split","inner":2,"kind":"inner"})", "law");
  expect_move_refusal("algebra", kProgram, R"({"at":"0/0:right","strategy":"cancellation"})", "step",
                      "cancellation refused");
}

}  // namespace
}  // namespace steptp::testing
