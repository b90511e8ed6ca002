#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kStrategy = "layout_transformation";
constexpr std::string_view kMatmul = R"(
@input A f32[8,4]
@input C f32[4,6]
@output D f32[8,6]
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)";

TEST(LayoutTransformation, EachForm) {
  expect_rewrite(kStrategy, kMatmul, R"({"at":"0","tensor":"C","form":"transpose","dimensions":"1,0","number":0})", R"(
B(tx,4)L(a,6)[E[a,tx]=C[tx,a];];
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*E[a,c];];
)");
  expect_rewrite(kStrategy, kMatmul, R"({"at":"0","tensor":"A","form":"flatten","dimensions":"0,1","number":0})", R"(
B(tx,8)L(c,4)[E[tx*4+c]=A[tx,c];];
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+E[tx*4+c]*C[c,a];];
)");
  expect_rewrite(kStrategy, kMatmul, R"({"at":"0","tensor":"A","form":"flatten","dimensions":"0,1","number":1})", R"(
B(tx,8)L(c,4)[E[tx*5+c]=A[tx,c];];
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+E[tx*5+c]*C[c,a];];
)");
  expect_rewrite(kStrategy, kMatmul, R"({"at":"0","tensor":"A","form":"split","dimensions":"1","number":2})", R"(
B(tx,8)L(g,2)L(c,2)[E[tx,g,c]=A[tx,g*2+c];];
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+E[tx,c//2,c%2]*C[c,a];];
)");
  expect_rewrite(kStrategy, kMatmul, R"({"at":"0","tensor":"A","form":"split","dimensions":"1","number":3})", R"(
B(tx,8)L(c,4)[E[tx,c//3,c%3]=A[tx,c];];
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+E[tx,c//3,c%3]*C[c,a];];
)");
  expect_rewrite(kStrategy, kMatmul, R"({"at":"0","tensor":"C","form":"rotate","dimensions":"1,0","number":0})", R"(
B(tx,4)L(a,6)[E[tx,(a+tx)%6]=C[tx,a];];
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*E[c,(a+c)%6];];
)");
}

// Every read in the expression goes to the copy: in other equations, under conditions, in subscripts.
TEST(LayoutTransformation, EveryRead) {
  expect_rewrite(kStrategy, R"(
@input A f32[6,5]
@input C i64[4,2] [0,5)
@output D f32[4,5]
@output E f32[4,2]
B(tx,4)[L(a,5)[D[tx,a]=if_then_else(1<=a,A[tx,C:i64[tx,0]],0);];L(a,2)[E[tx,a]=A[tx,C:i64[tx,a]]*2;];];
)",
                 R"({"at":"0","tensor":"C","form":"transpose","dimensions":"1,0","number":0})", R"(
B(tx,4)L(a,2)[F:i64[a,tx]=C:i64[tx,a];];
B(tx,4)[L(a,5)[D[tx,a]=if_then_else(1<=a,A[tx,F:i64[0,tx]],0);];L(a,2)[E[tx,a]=A[tx,F:i64[a,tx]]*2;];];
)");
}

// A window reads elements several times: the copy holds each once. An intermediate that is complete is an operand too.
TEST(LayoutTransformation, OfAnIntermediate) {
  expect_rewrite(kStrategy, R"(
@input A f32[8,3]
@output D f32[6,3]
L(a,8)[E[a,0]=A[a,0];];
L(a,8)L(c,2)[E[7-a,c+1]=A[a,c+1];];
L(a,6)L(c,3)L(d,3)[D[a,c]=D[a,c]+E[a+d,c];];
)",
                 R"({"at":"2","tensor":"E","form":"flatten","dimensions":"1,0","number":0})", R"(
L(a,8)[E[a,0]=A[a,0];];
L(a,8)L(c,2)[E[7-a,c+1]=A[a,c+1];];
B(tx,8)L(c,3)[F[c*8+tx]=E[tx,c];];
L(a,6)L(c,3)L(d,3)[D[a,c]=D[a,c]+F[c*8+a+d];];
)");
}

TEST(LayoutTransformation, Refusals) {
  constexpr std::string_view kTransposeE =
      R"({"at":"1","tensor":"E","form":"transpose","dimensions":"1,0","number":0})";
  // Part of the tensor has no value.
  expect_refusal(kStrategy, R"(
@input A f32[8,3]
@output D f32[8]
L(a,8)[E[a,a%3]=A[a,a%3];];
L(a,8)[D[a]=E[a,a%3]*2;];
)",
                 kTransposeE, "complete");
  // It is written in the expression that reads it.
  expect_refusal(kStrategy, R"(
@input A f32[8,3]
@output D f32[8,3]
L(a,8)L(c,3)[E[a,c]=A[a,c];];
L(a,8)L(c,3)[D[a,c]=E[a,c]*2;E[a,c]=0;];
)",
                 kTransposeE, "complete");
  // It is not in g.
  expect_refusal(kStrategy, R"(
@input A f32[8,3]
@output D f32[8,3]
B(tx,8)[L(c,3)[E:l[c,0]=A[tx,c];];L(c,3)[D[tx,c]=E:l[c,0]*2;];];
)",
                 R"({"at":"0","tensor":"E","form":"transpose","dimensions":"1,0","number":0})", "complete");
  constexpr std::string_view kTransposeA =
      R"({"at":"0","tensor":"A","form":"transpose","dimensions":"1,0","number":0})";
  expect_refusal(kStrategy, "@input A f32[8,3]\n@output D f32[8,3]\nB(tx,8)L(c,3)[D[tx,c]=A[tx,c];];\n", kTransposeA,
                 "operand");
  expect_refusal(kStrategy, "@input A f32[8,3]\n@output D f32[8]\nB(tx,8)[D[tx]=1;];\n", kTransposeA, "operand");
  expect_refusal(kStrategy, kMatmul, R"({"at":"0","tensor":"A","form":"merge","dimensions":"1,0","number":0})", "fits");
  expect_refusal(kStrategy, kMatmul, R"({"at":"0","tensor":"A","form":"split","dimensions":"1,0","number":2})",
                 "choice");
  expect_refusal(kStrategy, kMatmul, R"({"at":"0/0","tensor":"A","form":"split","dimensions":"1","number":2})",
                 "place");
}

}  // namespace
}  // namespace steptp::testing
