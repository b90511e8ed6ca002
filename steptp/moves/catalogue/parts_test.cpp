#include <gtest/gtest.h>

#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kMatmul = R"(
@input A f32[6,12]
@input C f32[12,5]
@output D f32[6,5]
B(tx,6)L(a,5)L(c,12)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)";

TEST(PartsMove, AContraction) {
  expect_move("parts", kMatmul, R"({"at":"0","length":4})",
              "L(f,3)L(d,6)L(a,5)L(c,4)[E[f,d,a]=E[f,d,a]+A[d,f*4+c]*C[f*4+c,a];];"
              "L(d,6)L(a,5)L(f,3)[D[d,a]=D[d,a]+E[f,d,a];];");
}

TEST(PartsMove, TheLastPartIsShorter) {
  expect_move("parts", kMatmul, R"({"at":"0","length":5})",
              "L(f,3)L(d,6)L(a,5)L(c,5)?{f*5+c<12}[E[f,d,a]=E[f,d,a]+A[d,f*5+c]*C[f*5+c,a];];"
              "L(d,6)L(a,5)L(f,3)[D[d,a]=D[d,a]+E[f,d,a];];");
}

TEST(PartsMove, OfOneNumberAndOfSeveralLoops) {
  expect_move("parts", R"(
@input A f32[4,9]
@output D f32[]
L(a,4)L(c,9)[D[]=max(D[],A[a,c]);];
)",
              R"({"at":"0","length":3})",
              "L(d,3)L(a,4)L(c,3)[C[d]=max(C[d],A[a,d*3+c]);];L(d,3)[D[]=max(D[],C[d]);];");
}

TEST(PartsMove, Refuses) {
  expect_move_refusal("parts", kMatmul, R"({"at":"0","length":12})", "length", "parts of 12 of 12 iterations");
  expect_move_refusal("parts", kMatmul, R"({"at":"0","length":0})", "length");
  expect_move_refusal("parts", R"(
@input A f32[6]
@output D f32[6]
B(tx,6)[D[tx]=A[tx]*2;];
)",
                      R"({"at":"0","length":2})", "reduction");
  expect_move_refusal("parts", R"(
@input A f32[8]
@output D f32[9]
L(a,8)[D[a+1]=D[a]+A[a];];
)",
                      R"({"at":"0","length":4})", "reduction");
  // An integer that each step cuts off has no parts.
  expect_move_refusal("parts", R"(
@input A f32[8]
@output D i32[]
L(a,8)[D:i32[]=D:i32[]+A[a];];
)",
                      R"({"at":"0","length":4})", "step", "reduction_factorization");
}

}  // namespace
}  // namespace steptp::testing
