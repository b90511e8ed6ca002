#include <gtest/gtest.h>

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

TEST(AlgebraMove, Refuses) {
  expect_move_refusal("algebra", kProgram, R"({"at":"0","strategy":"loop_split","inner":2,"kind":"inner"})", "law");
  expect_move_refusal("algebra", kProgram, R"({"at":"0/0:right","strategy":"cancellation"})", "step",
                      "cancellation refused");
}

}  // namespace
}  // namespace steptp::testing
