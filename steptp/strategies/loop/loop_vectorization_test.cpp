#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

void expect_refused(std::string_view header, std::string_view nest, std::string_view place, std::string_view why) {
  expect_refusal("loop_vectorization", std::string(header) + std::string(nest) + "\n",
                 R"({"at":")" + std::string(place) + R"("})", why);
}

TEST(LoopVectorization, Innermost) {
  expect_rewrite("loop_vectorization", R"(
@input A f32[8,6,4]
@output D f32[8,6,4]
B(tx,8)L(a,6)L(c,4)[D[tx,a,c]=A[tx,a,c]*2;];
)",
                 R"({"at":"0:loop[2]"})", "B(tx,8)L(a,6)V(c,4)[D[tx,a,c]=A[tx,a,c]*2;];");
}

TEST(LoopVectorization, OffsetsAndOperandsThatStay) {
  expect_rewrite("loop_vectorization", R"(
@input A f16[8,16]
@input C f32[8]
@output D f16[8,8]
B(tx,8)L(c,8)[D:f16[tx,c]=A:f16[tx,c+8]*C[tx];];
)",
                 R"({"at":"0:loop[1]"})", "B(tx,8)V(c,8)[D:f16[tx,c]=A:f16[tx,c+8]*C[tx];];");
}

TEST(LoopVectorization, Refusals) {
  constexpr std::string_view kHeader = "@input A f32[8,8]\n@output D f32[8,8]\n";
  expect_refused(kHeader, "B(tx,8)L(c,8)[D[tx,c]=A[tx,c];];", "0:loop[1]", "width");
  expect_refused(kHeader, "B(tx,8)L(a,2)L(c,4)[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[1]", "innermost");
  expect_refused(kHeader, "B(tx,8)L(a,2)[L(c,4)[D[tx,a*4+c]=A[tx,a*4+c];];];", "0:loop[1]", "innermost");
  expect_refused(kHeader, "B(tx,8)L(a,3)L(c,4)?{a*4+c<8}[D[tx,a*4+c]=A[tx,a*4+c];];", "0:loop[2]", "innermost");
  expect_refused(kHeader, "B(tx,8)L(a,2)L(c,4)[D[tx,a*4+c]=A[a*4+c,tx];];", "0:loop[2]", "unit-stride");
  expect_refused(kHeader, "B(tx,8)L(a,4)L(c,2)[D[tx,c*4+a]=A[tx,c*4+a];];", "0:loop[2]", "unit-stride");
  expect_refused(kHeader, "B(tx,8)[D[tx,0]=A[tx,0];];", "0:loop[0]", "serial");
  expect_refused("@input A f32[8,4]\n@output D f32[8]\n", "B(tx,8)L(c,4)[D[tx]=D[tx]+A[tx,c];];", "0:loop[1]",
                 "not-carried");
  expect_refused("@input A f32[8,4]\n@output D f32[8,4]\n",
                 "B(tx,8)L(c,4)[D[tx,c]=A[tx,c]+if_then_else(c<1,0,D[tx,c-1]);];", "0:loop[1]", "not-carried");
}

}  // namespace
}  // namespace steptp::testing
