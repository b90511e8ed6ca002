#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(OperatorFusion, WholeNestsUnderOtherNames) {
  expect_rewrite("operator_fusion", R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];B(tx,8)L(c,6)[E[tx,c]=exp(D[tx,c])+c;];
)",
                 R"({"at":"0","depth":2})", "B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;E[tx,a]=exp(D[tx,a])+a;];");
}

TEST(OperatorFusion, AChainOfFusions) {
  expect_rewrite("operator_fusion", R"(
@input A f32[8,6]
@output F f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;E[tx,a]=exp(D[tx,a]);];B(tx,8)L(a,6)[F[tx,a]=E[tx,a]+D[tx,a];];
)",
                 R"({"at":"0","depth":2})",
                 "B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;E[tx,a]=exp(D[tx,a]);F[tx,a]=E[tx,a]+D[tx,a];];");
}

// The row is complete when the second nest reads it; the inner loop of the second has the name of a common one.
TEST(OperatorFusion, AtADepth) {
  expect_rewrite("operator_fusion", R"(
@input A f32[8,6]
@output E f32[8,6]
L(c,8)L(a,6)[D[c]=D[c]+A[c,a];];L(a,8)L(c,6)[E[a,c]=A[a,c]/D[a];];
)",
                 R"({"at":"0","depth":1})", "L(c,8)[L(a,6)[D[c]=D[c]+A[c,a];];L(d,6)[E[c,d]=A[c,d]/D[c];];];");
}

TEST(OperatorFusion, SiblingsInsideABody) {
  expect_rewrite("operator_fusion", R"(
@input A f32[2,8]
@output D f32[2,8]
B(bx,2)[B(tx,8)[E:l[]=A[bx,tx];];B(tx,8)[D[bx,tx]=E:l[]*2;];];
)",
                 R"({"at":"0/0","depth":1})", "B(bx,2)[B(tx,8)[E:l[]=A[bx,tx];D[bx,tx]=E:l[]*2;];];");
}

// The second nest moves up over what stands between.
TEST(OperatorFusion, OverOthers) {
  expect_rewrite("operator_fusion", R"(
@input A f32[8]
@input C f32[6]
@output F f32[8]
@output G f32[6]
B(tx,8)[D[tx]=A[tx]*2;];B(tx,6)[E[tx]=exp(C[tx]);];B(tx,6)[G[tx]=E[tx]+1;];B(tx,8)[F[tx]=D[tx]+A[tx];];
)",
                 R"({"at":"0","depth":1,"next":3})",
                 "B(tx,8)[D[tx]=A[tx]*2;F[tx]=D[tx]+A[tx];];B(tx,6)[E[tx]=exp(C[tx]);];B(tx,6)[G[tx]=E[tx]+1;];");
}

// Data in s and l stands between: what is compared keeps its order.
TEST(OperatorFusion, OverAKernelWithItsOwnData) {
  expect_rewrite("operator_fusion", R"(
@input A f32[8]
@input C f32[4,8]
@output F f32[8]
@output G f32[4,8]
B(tx,8)[D[tx]=A[tx]*2;];
B(bx,4)[B(tx,8)[H:s[tx]=C[bx,tx];];B(tx,8)[I:l[]=H:s[7-tx];G[bx,tx]=I:l[]+1;];];
B(tx,8)[F[tx]=D[tx]+A[tx];];
)",
                 R"({"at":"0","depth":1,"next":2})",
                 "B(tx,8)[D[tx]=A[tx]*2;F[tx]=D[tx]+A[tx];];"
                 "B(bx,4)[B(tx,8)[H:s[tx]=C[bx,tx];];B(tx,8)[I:l[]=H:s[7-tx];G[bx,tx]=I:l[]+1;];];");
}

TEST(OperatorFusion, NotOverWhatItNeeds) {
  constexpr std::string_view kNeeds =
      "@input A f32[8]\n@output F f32[8]\n"
      "B(tx,8)[D[tx]=A[tx]*2;];B(tx,4)[E[tx]=D[tx]+D[tx+4];];B(tx,8)[F[tx]=D[tx]+E[tx//2];];\n";
  expect_refusal("operator_fusion", kNeeds, R"({"at":"0","depth":1,"next":2})", "between");
  // What stands between would read what has been overwritten.
  constexpr std::string_view kOverwrites =
      "@input A f32[8]\n@output E f32[4]\n@output F f32[8]\n"
      "B(tx,8)[D[tx]=A[tx]*2;];B(tx,4)[E[tx]=D[tx]+D[tx+4];];B(tx,8)[D[tx]=D[tx]*3;];B(tx,8)[F[tx]=D[tx];];\n";
  expect_refusal("operator_fusion", kOverwrites, R"({"at":"0","depth":1,"next":2})", "between");
  expect_refusal("operator_fusion", kNeeds, R"({"at":"0","depth":1,"next":7})", "same-loops");
  expect_refusal("operator_fusion", kNeeds, R"({"at":"0","depth":1,"next":0})", "same-loops");
}

TEST(OperatorFusion, EqualGuards) {
  expect_rewrite("operator_fusion", R"(
@input A f32[8]
@output D f32[8]
@output E f32[8]
L(a,9)?{a<8}[D[a]=A[a];];L(c,9)?{c<8}[E[c]=D[c];];
)",
                 R"({"at":"0","depth":1})", "L(a,9)?{a<8}[D[a]=A[a];E[a]=D[a];];");
}

TEST(OperatorFusion, RefusesToReadTooEarlyOrOverwriteTooSoon) {
  const auto refused = [](std::string_view program, std::string_view why) {
    expect_refusal("operator_fusion", program, R"({"at":"0","depth":1})", why);
  };
  refused("@input A f32[8]\n@output E f32[8]\nL(a,8)[D[a]=A[a];];L(a,8)[E[a]=D[7-a];];\n", "forward");
  refused(
      "@input A f32[8]\n@output E f32[8]\n@output D f32[8]\n"
      "L(a,8)[E[a]=if_then_else(a<1,0,A[a-1]);];L(a,8)[D[a]=E[a]+if_then_else(a>6,0,E[a+1]);];\n",
      "forward");
  refused("@input A f32[9]\n@output E f32[8]\nB(tx,8)[D[tx]=A[tx];D[8]=0;];B(tx,8)[E[tx]=D[tx+1];];\n", "forward");
  refused("@input A f32[8]\n@output D f32\nB(tx,8)[E[tx]=A[tx];];B(tx,8)[D[]=D[]+E[tx];];\n", "races");
}

TEST(OperatorFusion, RefusesADifferenceBetweenThreads) {
  expect_refusal("operator_fusion", R"(
@input A f32[8]
@output E f32[8]
B(tx,8)[D[tx]=A[tx];];B(tx,8)[E[tx]=if_then_else(tx<1,0,D[tx-1]);];
)",
                 R"({"at":"0","depth":1})", "races");
}

TEST(OperatorFusion, Refusals) {
  const auto refused = [](std::string_view program, std::string_view choice, std::string_view why) {
    expect_refusal("operator_fusion", program, choice, why);
  };
  constexpr std::string_view kHeader = "@input A f32[8,4]\n@output D f32[8,4]\n@output E f32[8,4]\n";
  const std::string header(kHeader);
  refused(header + "L(a,8)L(c,4)[D[a,c]=A[a,c];];L(a,8)P(c,4)[E[a,c]=A[a,c];];\n", R"({"at":"0","depth":2})",
          "same-loops");
  refused(header + "L(a,8)L(c,4)[D[a,c]=A[a,c];E[a,c]=0;];\n", R"({"at":"0","depth":2})", "same-loops");
  refused(header + "L(a,8)L(c,4)[D[a,c]=A[a,c];E[a,c]=0;];\n", R"({"at":"0/0","depth":2})", "place");
  refused(header + "L(a,8)L(c,5)?{c<4}[D[a,c]=A[a,c];];L(a,8)L(c,5)?{c>0}[E[a,c-1]=A[a,c-1];];\n",
          R"({"at":"0","depth":2})", "guards");
  refused("@input A f32[4]\n@output D f32[4]\n@output E f32[4,3]\nV(c,4)[D[c]=A[c];];V(c,4)L(a,3)[E[c,a]=A[c];];\n",
          R"({"at":"0","depth":1})", "innermost");
  refused(
      "@input A f32[8]\n@output D f32[8]\n@output E f32[8]\n"
      "B(tx,8)[G:l[]=A[tx];D[tx]=G:l[];];B(tx,8)[G:l[]=A[tx]*2;E[tx]=G:l[];];\n",
      R"({"at":"0","depth":1})", "scopes");
}

}  // namespace
}  // namespace steptp::testing
