#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kStrategy = "tensor_split_to_decouple_operators";

TEST(TensorSplit, AlongAnOutputAxis) {
  expect_rewrite(kStrategy, R"(
@input A f32[8,6]
@output C f32[8,6]
B(tx,8)L(a,6)[C[tx,a]=exp(A[tx,a]);];
)",
                 R"({"at":"0:loop[1]","cut":2})", R"(
B(tx,8)L(a,2)[D[tx,a]=A[tx,a];];
B(tx,8)L(a,4)[E[tx,a]=A[tx,a+2];];
B(tx,8)L(a,2)[F[tx,a]=exp(D[tx,a]);];
B(tx,8)L(a,4)[G[tx,a]=exp(E[tx,a]);];
B(tx,8)L(a,2)[C[tx,a]=F[tx,a];];
B(tx,8)L(a,4)[C[tx,a+2]=G[tx,a];];
)");
}

TEST(TensorSplit, AlongAReductionAxis) {
  expect_rewrite(kStrategy, R"(
@input A f32[8,6]
@output C f32[8]
B(tx,8)L(a,6)[C[tx]=max(C[tx],A[tx,a]);];
)",
                 R"({"at":"0:loop[1]","cut":4})", R"(
B(tx,8)L(a,4)[D[tx,a]=A[tx,a];];
B(tx,8)L(a,2)[E[tx,a]=A[tx,a+4];];
B(tx,8)L(a,4)[F[tx]=max(F[tx],D[tx,a]);];
B(tx,8)L(a,2)[G[tx]=max(G[tx],E[tx,a]);];
B(tx,8)[C[tx]=max(F[tx],G[tx]);];
)");
}

// Two reduction axes: the combining expression has neither. What was in the result before stays in it.
TEST(TensorSplit, WithAnotherReductionAxisAndAValueBefore) {
  expect_rewrite(kStrategy, R"(
@input A f32[4,6,3]
@output C f32[4]
B(tx,4)[C[tx]=1;];
B(tx,4)L(a,6)L(c,3)[C[tx]=C[tx]+A[tx,a,c]*a;];
)",
                 R"({"at":"1:loop[1]","cut":1})", R"(
B(tx,4)[C[tx]=1;];
B(tx,4)L(a,1)L(c,3)[D[tx,a,c]=A[tx,a,c];];
B(tx,4)L(a,5)L(c,3)[E[tx,a,c]=A[tx,a+1,c];];
B(tx,4)L(a,1)L(c,3)[F[tx]=F[tx]+D[tx,a,c]*a;];
B(tx,4)L(a,5)L(c,3)[G[tx]=G[tx]+E[tx,a,c]*(a+1);];
B(tx,4)[C[tx]=C[tx]+(F[tx]+G[tx]);];
)");
}

// Windows overlap in the copies as they do in the operand; a stride moves by its multiple; threads do not share.
TEST(TensorSplit, OfAWindow) {
  expect_rewrite(kStrategy, R"(
@input A f32[12]
@input C f32[3]
@output D f32[4]
B(tx,4)L(c,3)[D[tx]=D[tx]+A[tx*2+c]*C[c];];
)",
                 R"({"at":"0:loop[0]","cut":1})", R"(
B(tx,3)[E[tx]=A[tx];];
B(tx,7)[F[tx]=A[tx+2];];
B(tx,1)L(c,3)[G[tx]=G[tx]+E[tx*2+c]*C[c];];
B(tx,3)L(c,3)[H[tx]=H[tx]+F[tx*2+c]*C[c];];
B(tx,1)[D[tx]=G[tx];];
B(tx,3)[D[tx+1]=H[tx];];
)");
}

// Inside a kernel each iteration of the loops around has parts of its own, and the result may have a value already.
TEST(TensorSplit, InsideAKernel) {
  expect_rewrite(kStrategy, R"(
@input A f32[2,4,6]
@input C f32[4]
@output D f32[2,4]
B(bx,2)[B(tx,4)L(a,6)[D[bx,tx]=D[bx,tx]+A[bx,tx,a]*C[tx];];];
)",
                 R"({"at":"0/0:loop[1]","cut":2})", R"(
B(bx,2)[
B(tx,4)L(a,2)[E[bx,tx,a]=A[bx,tx,a];];
B(tx,4)L(a,4)[F[bx,tx,a]=A[bx,tx,a+2];];
B(tx,4)L(a,2)[G[bx,tx]=G[bx,tx]+E[bx,tx,a]*C[tx];];
B(tx,4)L(a,4)[H[bx,tx]=H[bx,tx]+F[bx,tx,a]*C[tx];];
B(tx,4)[D[bx,tx]=D[bx,tx]+(G[bx,tx]+H[bx,tx]);];];
)");
  // A block loop inside a thread loop is fine only where it stands alone.
  expect_refusal(kStrategy, R"(
@input A f32[4,2,6]
@output D f32[4,2,6]
B(tx,4)[B(bx,2)L(a,6)[D[tx,bx,a]=exp(A[tx,bx,a]);];];
)",
                 R"({"at":"0/0:loop[1]","cut":2})", "kernel");
}

TEST(TensorSplit, Refusals) {
  // A recurrence.
  expect_refusal(kStrategy, R"(
@input A f32[8]
@output D f32[8]
L(a,8)[D[a]=if_then_else(a<1,0,D[a-1])+A[a];];
)",
                 R"({"at":"0:loop[0]","cut":2})", "operator");
  // Iterations write one element, and the last one counts.
  expect_refusal(kStrategy, R"(
@input A f32[8,3]
@output D f32[10]
L(a,8)L(c,3)[D[a+c]=A[a,c]*2;];
)",
                 R"({"at":"0:loop[1]","cut":1})", "operator");
  expect_refusal(kStrategy, "@input A f32[8]\n@output D f32[8]\nL(a,8)[D[a]=A[a];];\n", R"({"at":"0:loop[0]","cut":1})",
                 "operator");
  expect_refusal(kStrategy, "@input A f32[8]\n@output D f32[8]\nL(a,9)?{a<8}[D[a]=A[a]*2;];\n",
                 R"({"at":"0:loop[0]","cut":1})", "operator");
  // The last value of the loop counts: no reduction.
  expect_refusal(kStrategy, "@input A f32[8,3]\n@output D f32[8]\nL(a,8)L(c,3)[D[a]=A[a,c]*2;];\n",
                 R"({"at":"0:loop[1]","cut":1})", "axis");
  expect_refusal(kStrategy, "@input A f32[8]\n@output D f32[8]\nL(a,8)[D[a]=A[a//2]*2;];\n",
                 R"({"at":"0:loop[0]","cut":1})", "affine");
  expect_refusal(kStrategy, "@input A f32[8]\n@output D f32[9]\nL(a,9)[D[a]=if_then_else(a<1,0,A[a-1]);];\n",
                 R"({"at":"0:loop[0]","cut":1})", "affine");
  constexpr std::string_view kPlain = "@input A f32[8]\n@output D f32[8]\nL(a,8)[D[a]=A[a]*2;];\n";
  expect_refusal(kStrategy, kPlain, R"({"at":"0:loop[0]","cut":8})", "cut");
  expect_refusal(kStrategy, kPlain, R"({"at":"0:loop[1]","cut":2})", "place");
  expect_refusal(kStrategy, R"(
@input A f32[60000,60000]
@output D f32[8]
L(a,8)[D[a]=A[a,a]*2;];
)",
                 R"({"at":"0:loop[0]","cut":1})", "memory");
}

}  // namespace
}  // namespace steptp::testing
