#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kName = "common_subexpression_elimination";

TEST(CommonSubexpression, AcrossExpressionsUnderOtherNames) {
  expect_rewrite(kName, R"(
@input A f32[8,6]
@output D f32[8,6]
@output E f32[6,8]
B(tx,8)L(a,6)[D[tx,a]=exp(A[tx,a])-1;];L(c,6)B(tx,8)[E[c,tx]=exp(A[tx,c])+1;];
)",
                 R"({"at":"0/0:right.0"})",
                 "B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]);];B(tx,8)L(a,6)[D[tx,a]=F[tx,a]-1;];"
                 "L(c,6)B(tx,8)[E[c,tx]=F[tx,c]+1;];");
}

TEST(CommonSubexpression, TwiceInOneEquation) {
  expect_rewrite(kName, R"(
@input A f32[8]
@output D f32[8]
B(tx,8)[D[tx]=exp(A[tx])*if_then_else(A[tx]<0,exp(A[tx]),2);];
)",
                 R"({"at":"0/0:right.0"})",
                 "B(tx,8)[E[tx]=exp(A[tx]);];B(tx,8)[D[tx]=E[tx]*if_then_else(A[tx]<0,E[tx],2);];");
}

TEST(CommonSubexpression, Refusals) {
  const auto refused = [](std::string_view program, std::string_view at, std::string_view why) {
    expect_refusal(kName, program, R"({"at":")" + std::string(at) + R"("})", why);
  };
  constexpr std::string_view kHeader = "@input A f32[8]\n@output D f32[8]\n@output E f32[8]\n";
  const std::string header(kHeader);
  refused(header + "L(a,8)[D[a]=exp(A[a])-1;];L(a,8)[E[a]=exp(A[7-a])+1;];\n", "0/0:right.0", "identical");
  refused(header + "L(a,8)[D[a]=exp(A[a])-1;];L(a,8)[E[a]=exp(A[a])+1;];\n", "1/0:right.0", "identical");
  refused(header + "L(a,8)[D[a]=exp(A[a])-1;];L(a,8)[E[a]=exp(A[a])+1;];\n", "0/0:right.0.0", "computes");
  refused(header + "L(a,8)[D[a]=exp(A[a])-1;];L(a,8)[E[a]=exp(A[a])+1;];\n", "0/0", "place");
  refused(header + "L(a,4)[D[a]=exp(A[a])-1;];L(a,4)[D[a+4]=0;];L(a,8)[E[a]=exp(A[a])+1;];\n", "0/0:right.0",
          "same-loops");
  refused(
      "@input A f32[8]\n@output D f32[9]\n@output E f32[9]\n"
      "L(a,9)[D[a]=if_then_else(a<8,exp(A[a])-1,0);];L(a,9)[E[a]=if_then_else(a<8,exp(A[a])+1,0);];\n",
      "0/0:right.1.0", "always");
  refused(header + "L(a,8)[D[a]=A[a];];L(a,8)[E[a]=exp(D[a])+1;];L(a,8)[D[a]=exp(D[a])*2;];\n", "1/0:right.0",
          "complete");
  refused(
      "@input A f32[65536]\n@output D f32[65536]\n@output E f32[65536]\n"
      "L(a,65536)L(c,65536)[D[a]=D[a]+A[a]*A[c];E[a]=E[a]+exp(A[a]*A[c]);];\n",
      "0/0:right.1", "memory");
}

}  // namespace
}  // namespace steptp::testing
