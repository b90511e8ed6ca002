#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

void expect_prefix(std::string_view before, std::string_view after, std::string_view choice) {
  expect_rewrite("normal_loop_max_to_prefix_max", before, choice, after);
}
void expect_refused(std::string_view before, std::string_view why, std::string_view choice) {
  expect_refusal("normal_loop_max_to_prefix_max", before, choice, why);
}

TEST(PrefixMax, OneLoop) {
  expect_prefix(R"(
@input A f32[8,6]
@output D f32[8]
B(tx,8)L(a,6)[D[tx]=max(A[tx,a],D[tx]);];
)",
                R"(B(tx,8)L(a,6)[E[tx,a]=max(if_then_else(a-1<0,-inf,E[tx,a-1]),A[tx,a]);];B(tx,8)[D[tx]=E[tx,5];];)",
                R"({"at":"0","loop":"a"})");
}

TEST(PrefixMax, BlocksCarriedByTheOuterLoop) {
  expect_prefix(R"(
@input A f32[8,6]
@output D f32[8]
B(tx,8)L(f,3)L(a,2)[D[tx]=max(D[tx],A[tx,f*2+a]);];
)",
                R"(B(tx,8)L(f,3)[L(a,2)[F[tx,f]=max(F[tx,f],A[tx,f*2+a]);];
                   E[tx,f]=max(if_then_else(f-1<0,-inf,E[tx,f-1]),F[tx,f]);];B(tx,8)[D[tx]=E[tx,2];];)",
                R"({"at":"0","loop":"f"})");
}

TEST(PrefixMax, BlocksCarriedByTheInnerLoopAndAnExpression) {
  expect_prefix(R"(
@input A f32[8,6]
@input C f32[6]
@output D f32[8]
B(tx,8)L(f,3)L(a,2)[D[tx]=max(A[tx,f*2+a]*C[a],max(D[tx],C[f]));];
)",
                R"(B(tx,8)L(a,2)[L(f,3)[F[tx,a]=max(F[tx,a],max(A[tx,f*2+a]*C[a],C[f]));];
                   E[tx,a]=max(if_then_else(a-1<0,-inf,E[tx,a-1]),F[tx,a]);];B(tx,8)[D[tx]=E[tx,1];];)",
                R"({"at":"0","loop":"a"})");
}

TEST(PrefixMax, InsideAnotherNestAndAScalar) {
  expect_prefix(R"(
@input A f32[4,6]
@output D f32[4]
@output E f32
B(tx,4)[L(a,6)[D[tx]=max(D[tx],A[tx,a]);];];L(a,6)[E[]=max(E[],A[0,a]);];
)",
                R"(B(tx,4)[L(a,6)[F[tx,a]=max(if_then_else(a-1<0,-inf,F[tx,a-1]),A[tx,a]);];D[tx]=F[tx,5];];
                   L(a,6)[E[]=max(E[],A[0,a]);];)",
                R"({"at":"0/0","loop":"a"})");
  expect_prefix(R"(
@input A f32[6]
@output E f32
L(a,6)[E[]=max(E[],A[a]);];
)",
                "L(a,6)[F[a]=max(if_then_else(a-1<0,-inf,F[a-1]),A[a]);];B(tx,1)[E[]=F[5];];",
                R"({"at":"0","loop":"a"})");
}

TEST(PrefixMax, Integers) {
  // The judge has no closed form for recurrences of integers, so the step is not shown equal.
  expect_rewrite(
      "normal_loop_max_to_prefix_max",
      R"(
@input A i32[6]
@output E i32
L(a,6)[E:i32[]=max(E:i32[],A:i32[a]);];
)",
      R"({"at":"0","loop":"a"})",
      "L(a,6)[F:i32[a]=max(if_then_else(a-1<0,-2147483648,F:i32[a-1]),A:i32[a]);];B(tx,1)[E:i32[]=F:i32[5];];",
      HouseResult::undecided);
  expect_refused(R"(
@input A i64[6]
@output E i64
L(a,6)[E:i64[]=max(E:i64[],A:i64[a]);];
)",
                 "identity", R"({"at":"0","loop":"a"})");
}

// Only the word max stands here: what is accumulated is a sum.
TEST(PrefixMax, ASumOfMaximaIsNoMaximum) {
  expect_refused(R"(
@input A f32[8,6]
@output D f32[8]
B(tx,8)L(a,6)[D[tx]=D[tx]+max(A[tx,a],0);];
)",
                 "pattern", R"({"at":"0","loop":"a"})");
}

TEST(PrefixMax, TheLoopIsBound) {
  expect_refused(R"(
@input A f32[8,6]
@output D f32[6]
B(tx,8)L(a,6)[D[a]=max(D[a],A[tx,a]);];
)",
                 "serial", R"({"at":"0","loop":"tx"})");
  expect_refused(R"(
@input A f32[8,6]
@output D f32[8]
L(a,6)V(c,8)[D[c]=max(D[c],A[c,a]);];
)",
                 "serial", R"({"at":"0","loop":"a"})");
}

TEST(PrefixMax, NotAReductionOfItsOwn) {
  const std::string_view loops_on = R"(
@input A f32[4,6]
@output D f32
L(c,4)[L(a,6)[D[]=max(D[],A[c,a]);];];
)";
  expect_refused(loops_on, "pattern", R"({"at":"0/0","loop":"a"})");
  expect_refused(R"(
@input A f32[8,6]
@output D f32[8]
B(tx,8)[D[tx]=0;];B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];
)",
                 "pattern", R"({"at":"1","loop":"a"})");
  expect_refused(R"(
@input A f32[8,6]
@output D f32[4]
L(c,8)L(a,6)[D[c//2]=max(D[c//2],A[c,a]);];
)",
                 "pattern", R"({"at":"0","loop":"a"})");
  expect_refused(R"(
@input A f32[8,6]
@output D f32[8]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];
)",
                 "pattern", R"({"at":"0","loop":"tx"})");
}

TEST(PrefixMax, Memory) {
  expect_refused(R"(
@input A f32[65536]
@input C f32[65536]
@output D f32[65536]
L(c,65536)L(a,65536)[D[c]=max(D[c],A[c]*C[a]);];
)",
                 "memory", R"({"at":"0","loop":"a"})");
}

}  // namespace
}  // namespace steptp::testing
