#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kStrategy = "tensor_concat_to_fuse_operators";

TEST(TensorConcat, OfTwoPointwiseOperators) {
  expect_rewrite(kStrategy, R"(
@input A f32[8,6]
@input C f32[8,4]
@output D f32[8,6]
@output E f32[8,4]
B(tx,8)L(a,6)[D[tx,a]=exp(A[tx,a]);];
B(tx,8)L(a,4)[E[tx,a]=exp(C[tx,a]);];
)",
                 R"({"at":"0","loop":1})", R"(
B(tx,8)L(a,6)[F[tx,a]=A[tx,a];];
B(tx,8)L(a,4)[F[tx,a+6]=C[tx,a];];
B(tx,8)L(a,10)[G[tx,a]=exp(F[tx,a]);];
B(tx,8)L(a,6)[D[tx,a]=G[tx,a];];
B(tx,8)L(a,4)[E[tx,a]=G[tx,a+6];];
)");
}

// Two projections of one input: the weights are put together, the input is not copied. Loops have other names.
constexpr std::string_view kProjections = R"(
@input A f32[8,4]
@input C f32[4,6]
@input D f32[4,3]
@output E f32[8,6]
@output F f32[3,8]
B(tx,8)L(a,6)L(c,4)[E[tx,a]=E[tx,a]+A[tx,c]*C[c,a];];
B(tx,8)L(d,3)L(a,4)[F[d,tx]=F[d,tx]+A[tx,a]*D[a,d];];
)";
TEST(TensorConcat, OfTwoProjections) {
  expect_rewrite(kStrategy, kProjections, R"({"at":"0","loop":1})", R"(
B(tx,6)L(c,4)[G[c,tx]=C[c,tx];];
B(tx,3)L(c,4)[G[c,tx+6]=D[c,tx];];
B(tx,8)L(a,9)L(c,4)[H[tx,a]=H[tx,a]+A[tx,c]*G[c,a];];
B(tx,8)L(a,6)[E[tx,a]=H[tx,a];];
B(tx,8)L(a,3)[F[a,tx]=H[tx,a+6];];
)");
}

// Rows of tiles: a window that stays within the stride is no overlap. Both write one tensor, which had a value before.
TEST(TensorConcat, OfTiles) {
  expect_rewrite(kStrategy, R"(
@input A f32[8]
@input C f32[12]
@output D f32[5]
L(a,5)[D[a]=a;];
L(a,2)L(c,4)[D[a]=D[a]+A[a*4+c];];
L(a,3)L(c,4)[D[a+2]=D[a+2]+C[a*4+c];];
)",
                 R"({"at":"1","loop":0})", R"(
L(a,5)[D[a]=a;];
B(tx,8)[E[tx]=A[tx];];
B(tx,12)[E[tx+8]=C[tx];];
L(a,5)L(c,4)[F[a]=F[a]+E[a*4+c];];
L(a,2)[D[a]=D[a]+F[a];];
L(a,3)[D[a+2]=D[a+2]+F[a+2];];
)");
}

// Siblings in a body, under a loop that both are made anew in.
TEST(TensorConcat, InsideANest) {
  expect_rewrite(kStrategy, R"(
@input A f32[5,6]
@input C f32[5,4]
@output D f32[5,6]
@output E f32[5,4]
B(tx,5)[L(a,6)[D[tx,a]=exp(A[tx,a]);];L(a,4)[E[tx,a]=exp(C[tx,a]);];];
)",
                 R"({"at":"0/0","loop":0})", R"(
B(tx,5)[
L(a,6)[F[tx,a]=A[tx,a];];
L(a,4)[F[tx,a+6]=C[tx,a];];
L(a,10)[G[tx,a]=exp(F[tx,a]);];
L(a,6)[D[tx,a]=G[tx,a];];
L(a,4)[E[tx,a]=G[tx,a+6];];];
)");
}

// One operand of the first stands for two of the second.
TEST(TensorConcat, OfOperandsThatAreTheSameInOne) {
  expect_rewrite(kStrategy, R"(
@input A f32[8]
@input C f32[8]
@input D f32[8]
@output E f32[8]
@output F f32[8]
L(a,8)[E[a]=A[a]*A[a]+A[a];];
L(a,8)[F[a]=C[a]*D[a]+C[a];];
)",
                 R"({"at":"0","loop":0})", R"(
B(tx,8)[G[tx]=A[tx];];
B(tx,8)[G[tx+8]=C[tx];];
B(tx,8)[H[tx]=A[tx];];
B(tx,8)[H[tx+8]=D[tx];];
L(a,16)[I[a]=G[a]*H[a]+G[a];];
L(a,8)[E[a]=I[a];];
L(a,8)[F[a]=I[a+8];];
)");
}

TEST(TensorConcat, RefusesDependence) {
  expect_refusal(kStrategy, R"(
@input A f32[8]
@output E f32[8]
L(a,8)[D[a]=exp(A[a]);];
L(a,8)[E[a]=exp(D[a]);];
)",
                 R"({"at":"0","loop":0})", "independent");
}

TEST(TensorConcat, RefusesAnotherOperator) {
  constexpr std::string_view kChoice = R"({"at":"0","loop":0})";
  constexpr std::string_view kTwo = "@input A f32[8]\n@input C f32[8]\n@output D f32[8]\n@output E f32[8]\n";
  const auto refuse = [&](std::string_view nests) {
    expect_refusal(kStrategy, std::string(kTwo) + std::string(nests), kChoice, "same-operator");
  };
  refuse("L(a,8)[D[a]=exp(A[a]);];L(a,8)[E[a]=log(C[a]);];");
  refuse("L(a,8)[D[a]=A[a]*2;];L(a,8)[E[a]=C[a]*3;];");
  refuse("L(a,8)[D[a]=A[a]-1;];L(a,8)[E[a]=C[a]+1;];");
  refuse("L(a,8)[D[a]=A[a]*2;];L(a,8)[E[a]=C[7-a]*2;];");
  // Different operands that do not follow the loop are different weights.
  refuse("L(a,8)[D[a]=A[a]*C[0];];L(a,8)[E[a]=A[a]*C[1];];");
  refuse("B(tx,8)[D[tx]=A[tx]*2;];L(a,8)[E[a]=C[a]*2;];");
  refuse("L(a,8)[D[a]=A[a]*2;];L(a,4)L(c,2)[E[a*2+c]=C[a*2+c]*2;];");
  expect_refusal(kStrategy, kProjections, R"({"at":"0","loop":0})", "same-operator");
  expect_refusal(kStrategy, kProjections, R"({"at":"1","loop":0})", "same-operator");
}

TEST(TensorConcat, RefusesWhatCannotBePutTogether) {
  // Sums of different operands are not one sum.
  expect_refusal(kStrategy, R"(
@input A f32[8]
@input C f32[4]
@output D f32[1]
@output E f32[1]
L(c,1)L(a,8)[D[c]=D[c]+A[a];];
L(c,1)L(a,4)[E[c]=E[c]+C[a];];
)",
                 R"({"at":"0","loop":1})", "output-axis");
  expect_refusal(kStrategy, R"(
@input A f32[8]
@input C f32[8]
@output D f32[8]
@output E f32[8]
L(a,8)[D[a]=A[a]*a;];
L(a,8)[E[a]=C[a]*a;];
)",
                 R"({"at":"0","loop":0})", "output-axis");
  // Windows overlap.
  constexpr std::string_view kWindows = R"(
@input A f32[10]
@input C f32[10]
@output D f32[8]
@output E f32[8]
L(a,8)L(c,3)[D[a]=D[a]+A[a+c];];
L(a,8)L(c,3)[E[a]=E[a]+C[a+c];];
)";
  expect_refusal(kStrategy, kWindows, R"({"at":"0","loop":0})", "separate");
  expect_refusal(kStrategy, kWindows, R"({"at":"0","loop":2})", "choice");
  expect_refusal(kStrategy, kWindows, R"({"at":"2","loop":0})", "place");
  // A recurrence.
  expect_refusal(kStrategy, R"(
@input A f32[8]
@input C f32[8]
@output D f32[8]
@output E f32[8]
L(a,8)[D[a]=if_then_else(a<1,0,D[a-1])+A[a];];
L(a,8)[E[a]=if_then_else(a<1,0,E[a-1])+C[a];];
)",
                 R"({"at":"0","loop":0})", "operator");
  expect_refusal(kStrategy, R"(
@input A f32[1000]
@input C f32[1000]
@output D f32[1000]
@output E f32[1000]
B(tx,1000)[D[tx]=A[tx]*2;];
B(tx,1000)[E[tx]=C[tx]*2;];
)",
                 R"({"at":"0","loop":0})", "launch");
  expect_refusal(kStrategy, R"(
@input A f32[40000,40000]
@input C f32[40000,40000]
@output D f32[2]
@output E f32[2]
L(a,2)[D[a]=A[a,a]*2;];
L(a,2)[E[a]=C[a,a]*2;];
)",
                 R"({"at":"0","loop":0})", "memory");
}

}  // namespace
}  // namespace steptp::testing
