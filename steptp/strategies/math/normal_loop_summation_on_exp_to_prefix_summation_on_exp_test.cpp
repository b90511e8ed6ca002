#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kName = "normal_loop_summation_on_exp_to_prefix_summation_on_exp";
constexpr std::string_view kDeferred = R"({"at":"1","loop":"a","form":"deferred"})";
constexpr std::string_view kAsPublished = R"({"at":"1","loop":"a","form":"published"})";

constexpr std::string_view kPlain = R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,8)L(c,6)[E[tx]=exp(-D[tx]+A[tx,c])+E[tx];];
)";

// In other names and another order.
TEST(PrefixSum, Deferred) {
  expect_rewrite(kName, kPlain, R"({"at":"1","loop":"c","form":"deferred"})",
                 R"(B(tx,8)L(c,6)[D[tx,c]=max(if_then_else(c-1<0,-inf,D[tx,c-1]),A[tx,c]);
                    H[tx,c]=if_then_else(D[tx,c]==-inf,0,
                      if_then_else(c-1<0,0,H[tx,c-1]*exp(D[tx,c-1]-D[tx,c]))+exp(A[tx,c]-D[tx,c]));];
                    B(tx,8)[E[tx]=H[tx,5];];)");
}

TEST(PrefixSum, PublishedWhereTheScoresAreFinite) {
  expect_rewrite(kName, kPlain, R"({"at":"1","loop":"c","form":"published"})",
                 R"(B(tx,8)L(c,6)[D[tx,c]=max(if_then_else(c-1<0,-inf,D[tx,c-1]),A[tx,c]);
                    H[tx,c]=if_then_else(c-1<0,1,H[tx,c-1])*exp(if_then_else(c-1<0,-inf,D[tx,c-1])-D[tx,c])
                      +exp(A[tx,c]-D[tx,c]);];
                    B(tx,8)[E[tx]=H[tx,5];];)");
}

// A row -inf, 1, 0.5 gives NaN in the published form. A row of -inf only has NaN as its sum, and keeps it.
TEST(PrefixSum, RowsThatBeginWithMinusInfinity) {
  const std::string_view masked = R"(
@input A f32[2,3]
@output E f32[2]
B(tx,2)L(a,3)[G[tx,a]=if_then_else(a>=tx,A[tx,a],-inf);];
B(tx,2)L(a,3)[D[tx]=max(D[tx],G[tx,a]);];B(tx,2)L(a,3)[E[tx]=E[tx]+exp(G[tx,a]-D[tx]);];
)";
  expect_rewrite(kName, masked, R"({"at":"2","loop":"a","form":"deferred"})",
                 R"(B(tx,2)L(a,3)[G[tx,a]=if_then_else(a>=tx,A[tx,a],-inf);];
                    B(tx,2)L(a,3)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),G[tx,a]);
                    H[tx,a]=if_then_else(D[tx,a]==-inf,0,
                      if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(G[tx,a]-D[tx,a]));];
                    B(tx,2)[E[tx]=if_then_else(D[tx,2]==-inf,inf-inf,H[tx,2]);];)");
  expect_refusal(kName, masked, R"({"at":"2","loop":"a","form":"published"})", "above");
}

TEST(PrefixSum, WhatMayBeInfinite) {
  const std::string_view logarithm = R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[D[tx]=max(D[tx],log(A[tx,a]));];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(log(A[tx,a])-D[tx]);];
)";
  expect_refusal(kName, logarithm, kAsPublished, "above");
  const std::string_view quotient = R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[G[tx,a]=A[tx,a]/(A[tx,a]*A[tx,a]);];
B(tx,8)L(a,6)[D[tx]=max(D[tx],G[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(G[tx,a]-D[tx]);];
)";
  expect_refusal(kName, quotient, R"({"at":"2","loop":"a","form":"published"})", "above");
}

// The maximum is an output, and keeps its rank; it is read behind the sum, too.
TEST(PrefixSum, TheMaximumIsAnOutput) {
  expect_rewrite(kName, R"(
@input A f32[8,6]
@output D f32[8]
@output E f32[8]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,8)L(a,6)[F[tx]=F[tx]+exp(A[tx,a]-D[tx]);];B(tx,8)[E[tx]=log(F[tx])+D[tx];];
)",
                 kDeferred,
                 R"(B(tx,8)L(a,6)[G[tx,a]=max(if_then_else(a-1<0,-inf,G[tx,a-1]),A[tx,a]);
                    H[tx,a]=if_then_else(G[tx,a]==-inf,0,
                      if_then_else(a-1<0,0,H[tx,a-1]*exp(G[tx,a-1]-G[tx,a]))+exp(A[tx,a]-G[tx,a]));];
                    B(tx,8)[D[tx]=G[tx,5];];B(tx,8)[F[tx]=H[tx,5];];B(tx,8)[E[tx]=log(F[tx])+D[tx];];)");
}

TEST(PrefixSum, LaterUsesOfTheMaximum) {
  expect_rewrite(kName, R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,8)[G[tx]=D[tx]*2;];B(tx,8)L(a,6)[F[tx]=F[tx]+exp(A[tx,a]-D[tx]);];
B(tx,8)[E[tx]=log(F[tx])+D[tx]+G[tx];];
)",
                 R"({"at":"2","loop":"a","form":"deferred"})",
                 R"(B(tx,8)L(a,6)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);
                    H[tx,a]=if_then_else(D[tx,a]==-inf,0,
                      if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(A[tx,a]-D[tx,a]));];
                    B(tx,8)[F[tx]=H[tx,5];];B(tx,8)[G[tx]=D[tx,5]*2;];B(tx,8)[E[tx]=log(F[tx])+D[tx,5]+G[tx];];)");
}

TEST(PrefixSum, Blocked) {
  expect_rewrite(kName, R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(f,3)L(a,2)[D[tx]=max(D[tx],A[tx,f*2+a]);];B(tx,8)L(f,3)L(a,2)[E[tx]=E[tx]+exp(A[tx,f*2+a]-D[tx]);];
)",
                 R"({"at":"1","loop":"f","form":"deferred"})",
                 R"(B(tx,8)L(f,3)[L(a,2)[G[tx,f]=max(G[tx,f],A[tx,f*2+a]);];
                    D[tx,f]=max(if_then_else(f-1<0,-inf,D[tx,f-1]),G[tx,f]);
                    J[tx,f]=if_then_else(D[tx,f]==-inf,0,exp(if_then_else(f-1<0,-inf,D[tx,f-1])-D[tx,f]));
                    L(a,2)[I[tx,f,a]=if_then_else(D[tx,f]==-inf,0,exp(A[tx,f*2+a]-D[tx,f]));];
                    L(a,2)[H[tx,f]=H[tx,f]+I[tx,f,a];];
                    F[tx,f]=if_then_else(f-1<0,0,F[tx,f-1])*J[tx,f]+H[tx,f];];
                    B(tx,8)[E[tx]=F[tx,2];];)");
}

TEST(PrefixSum, AnySum) {
  expect_rewrite(kName, R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]*2;];
)",
                 R"({"at":"0","loop":"a","form":"sum"})",
                 R"(B(tx,8)L(a,6)[H[tx,a]=if_then_else(a-1<0,0,H[tx,a-1])+A[tx,a]*2;];B(tx,8)[E[tx]=H[tx,5];];)");
  expect_refusal(kName, R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[E[tx]=max(E[tx],A[tx,a]*2);];
)",
                 R"({"at":"0","loop":"a","form":"sum"})", "pattern");
}

TEST(PrefixSum, NotTheMaximumOfTheScores) {
  expect_refusal(kName, R"(
@input A f32[8,6]
@input C f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[D[tx]=max(D[tx],C[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
)",
                 kDeferred, "pattern");
  expect_refusal(kName, R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(A[7-tx,a]-D[tx]);];
)",
                 kDeferred, "pattern");
  expect_refusal(kName, R"(
@input A f32[6,6]
@output E f32[6]
B(tx,6)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,6)L(a,6)[E[tx]=E[tx]+exp(A[a,tx]-D[tx]);];
)",
                 kDeferred, "pattern");
}

// The factor would be computed and stored in f16, which nothing was before.
TEST(PrefixSum, OfOneType) {
  expect_refusal(kName, R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[D:f16[tx]=max(D:f16[tx],A[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D:f16[tx]);];
)",
                 kDeferred, "pattern");
}

TEST(PrefixSum, Serial) {
  expect_refusal(kName, R"(
@input A f32[8,6]
@output E f32[6]
B(tx,8)L(a,6)[D[a]=max(D[a],A[tx,a]);];B(tx,8)L(a,6)[E[a]=E[a]+exp(A[tx,a]-D[a]);];
)",
                 R"({"at":"1","loop":"tx","form":"deferred"})", "serial");
}

TEST(PrefixSum, TheScoresChangeBetween) {
  expect_refusal(kName, R"(
@input A f32[8,6]
@output E f32[8]
B(tx,8)L(a,6)[G[tx,a]=A[tx,a];];
B(tx,8)L(a,6)[D[tx]=max(D[tx],G[tx,a]);];B(tx,8)L(a,6)[G[tx,a]=A[tx,a]*2;];
B(tx,8)L(a,6)[E[tx]=E[tx]+exp(G[tx,a]-D[tx]);];
)",
                 R"({"at":"3","loop":"a","form":"deferred"})", "between");
}

TEST(PrefixSum, Memory) {
  expect_refusal(kName, R"(
@input A f32[65536]
@input C f32[65536]
@output E f32[65536]
L(c,65536)L(a,65536)[D[c]=max(D[c],A[c]*C[a]);];L(c,65536)L(a,65536)[E[c]=E[c]+exp(A[c]*C[a]-D[c]);];
)",
                 kDeferred, "memory");
}

}  // namespace
}  // namespace steptp::testing
