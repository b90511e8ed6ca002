#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(ExpressionSplitting, TheTermOfASum) {
  expect_rewrite("expression_splitting", R"(
@input A f32[8,6]
@input D f32[8]
@output E f32[8]
B(tx,8)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
)",
                 R"({"at":"0/0:right.1","place":"before"})",
                 "B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx]);];B(tx,8)L(a,6)[E[tx]=E[tx]+F[tx,a];];");
}

// One dimension for each index in it, and the type of the part, not of the target.
TEST(ExpressionSplitting, LoopsAndTypeOfThePart) {
  expect_rewrite("expression_splitting", R"(
@input A f16[8]
@input C f32[6]
@output D f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=C[a]*exp(A:f16[tx]+tx);];
)",
                 R"({"at":"0/0:right.1","place":"before"})",
                 "B(tx,8)[E:f16[tx]=exp(A:f16[tx]+tx);];B(tx,8)L(a,6)[D[tx,a]=C[a]*E:f16[tx];];");
  expect_rewrite("expression_splitting", R"(
@input A f32
@output D f32[8]
B(tx,8)[D[tx]=exp(A[])*tx;];
)",
                 R"({"at":"0/0:right.0","place":"before"})", "B(tx,1)[E[]=exp(A[]);];B(tx,8)[D[tx]=E[]*tx;];");
}

TEST(ExpressionSplitting, InsideWhereTheNestWritesWhatItReads) {
  constexpr std::string_view kChain = R"(
@input A f32[8]
@output D f32[8]
@output E f32[8]
B(tx,8)[D[tx]=A[tx]*2;E[tx]=exp(D[tx])+1;];
)";
  expect_refusal("expression_splitting", kChain, R"({"at":"0/1:right.0","place":"before"})", "not-written");
  expect_rewrite("expression_splitting", kChain, R"({"at":"0/1:right.0","place":"inside"})",
                 "B(tx,8)[D[tx]=A[tx]*2;F[tx]=exp(D[tx]);E[tx]=F[tx]+1;];");
}

TEST(ExpressionSplitting, Refusals) {
  const auto refused = [](std::string_view program, std::string_view choice, std::string_view why) {
    expect_refusal("expression_splitting", program, choice, why);
  };
  constexpr std::string_view kPadded =
      "@input A f32[8]\n@output D f32[9]\nL(a,9)[D[a]=if_then_else(a<8,exp(A[a])+1,0);];\n";
  refused(kPadded, R"({"at":"0/0:right.1.0","place":"before"})", "always");
  refused(kPadded, R"({"at":"0/0:right.0","place":"before"})", "computes");
  refused(kPadded, R"({"at":"0/0:right","place":"before"})", "computes");
  refused(kPadded, R"({"at":"0/0:right.1.0","place":"behind"})", "choice");
  refused(kPadded, R"({"at":"0/0:left","place":"before"})", "place");
  refused("@input A i32[8]\n@output D i32[8]\nL(a,8)[D:i32[a]=A:i32[a]+a*3;];\n",
          R"({"at":"0/0:right.1","place":"before"})", "computes");
  // The block loop would enclose one of two nests.
  refused("@input A f32[8,4]\n@output D f32[8]\nB(tx,8)[L(c,1)B(bx,2)L(a,4)[D[tx]=D[tx]+exp(A[tx,a]*2)*bx;];];\n",
          R"({"at":"0/0/0:right.1.0","place":"before"})", "races");
  refused("@input A f32[8]\n@output D f32[8]\nB(tx,8)[E:l[]=A[tx];L(a,1)[D[tx]=exp(E:l[])+a;];];\n",
          R"({"at":"0/1/0:right.0","place":"before"})", "global");
  refused("@input A f32[65536]\n@output D f32[65536]\nL(a,65536)L(c,65536)[D[a]=D[a]+A[a]*A[c];];\n",
          R"({"at":"0/0:right.1","place":"before"})", "memory");
}

// The threads of ty read what is computed for tx alone, in an item before theirs: a barrier may stand between. Inside
// an open thread loop none may.
TEST(ExpressionSplitting, RefusesToPassDataBetweenThreads) {
  expect_refusal("expression_splitting", R"(
@input A f32[4]
@output D f32[4,8]
B(tx,4)[B(ty,8)[D[tx,ty]=exp(A[tx])*ty;];];
)",
                 R"({"at":"0/0/0:right.0","place":"before"})", "races");
}

}  // namespace
}  // namespace steptp::testing
