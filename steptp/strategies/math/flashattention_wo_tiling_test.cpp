#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kName = "flashattention_wo_tiling";
constexpr std::string_view kHeader = R"(
@input A f32[8,6]
@input C f32[6,3]
@output G f32[8,3]
)";
constexpr std::string_view kSoftmax = R"(
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];)";
constexpr std::string_view kMatmul = "B(tx,8)L(c,3)L(d,6)[G[tx,c]=G[tx,c]+F[tx,d]*C[d,c];];";
constexpr std::string_view kDeferred = R"({"at":"3","loop":"a","form":"deferred"})";

TEST(Flashattention, Deferred) {
  expect_rewrite(kName, concat(kHeader, kSoftmax, kMatmul), kDeferred,
                 R"(B(tx,8)L(a,6)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);
H[tx,a]=if_then_else(D[tx,a]==-inf,0,if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(A[tx,a]-D[tx,a]));
L(g,3)[I[tx,g,a]=if_then_else(D[tx,a]==-inf,0,
if_then_else(a-1<0,0,I[tx,g,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(A[tx,a]-D[tx,a])*C[a,g]);];];
B(tx,8)L(c,3)[G[tx,c]=I[tx,c,5]/H[tx,5];];)");
}

// Grouped heads, a causal mask that is data, scaled scores, keys in blocks.
TEST(Flashattention, IsOnlineSoftmaxThenPrefixMatmul) {
  const Program program = strategy_program(R"(
@input A f32[4,2,4,3]
@input C f32[2,2,4,3]
@input D f32[2,2,3,4]
@constant M bool[4,4]
@output E f32[4,2,4,3]
B(tx,4)L(a,2)L(c,4)L(d,4)L(f,3)[F[tx,a,c,d]=F[tx,a,c,d]+A[tx,a,c,f]*C[tx//2,a,d,f];];
B(tx,4)L(a,2)L(c,4)L(d,4)[G[tx,a,c,d]=if_then_else(M:bool[c,d],-inf,F[tx,a,c,d]*0.5);];
B(tx,4)L(a,2)L(c,4)L(d,2)L(g,2)[H[tx,a,c]=max(H[tx,a,c],G[tx,a,c,d*2+g]);];
B(tx,4)L(a,2)L(c,4)L(d,2)L(g,2)[I[tx,a,c]=I[tx,a,c]+exp(G[tx,a,c,d*2+g]-H[tx,a,c]);];
B(tx,4)L(a,2)L(c,4)L(d,2)L(g,2)[J[tx,a,c,d*2+g]=exp(G[tx,a,c,d*2+g]-H[tx,a,c])/I[tx,a,c];];
B(tx,4)L(a,2)L(c,4)L(f,3)L(d,2)L(g,2)[E[tx,a,c,f]=E[tx,a,c,f]+J[tx,a,c,d*2+g]*D[tx//2,a,f,d*2+g];];
)");
  for (const std::string_view loop : {"d", "g"}) {
    const std::string choice = concat(R"("loop":")", loop, R"(","form":"deferred"})");
    const Program at_once = after_step(kName, program, concat(R"({"at":"5",)", choice));
    const Program first = after_step("online_softmax", program, concat(R"({"at":"3",)", choice));
    const Program both = after_step("normal_matmul_to_prefix_matmul_based_on_online_softmax", first, R"({"at":"4"})");
    EXPECT_TRUE(equal(at_once, both));
    EXPECT_EQ(at_once.nests.size(), 4U);
  }
}

// A batch of one: some subscripts are its index, and some are 0.
TEST(Flashattention, ALoopThatRunsOnce) {
  expect_rewrite(kName, R"(
@input A f32[1,8,6]
@input C f32[1,6,3]
@output G f32[1,8,3]
B(tx,1)L(a,8)L(c,6)[D[tx,a]=max(D[tx,a],A[0,a,c]);];B(tx,1)L(a,8)L(c,6)[E[tx,a]=E[tx,a]+exp(A[tx,a,c]-D[0,a]);];
B(tx,1)L(a,8)L(c,6)[F[tx,a,c]=exp(A[0,a,c]-D[tx,a])/E[0,a];];
B(tx,1)L(a,8)L(c,3)L(d,6)[G[tx,a,c]=G[tx,a,c]+F[0,a,d]*C[tx,d,c];];
)",
                 R"({"at":"3","loop":"c","form":"deferred"})", R"(
B(tx,1)L(a,8)L(c,6)[D[0,a,c]=max(if_then_else(c-1<0,-inf,D[0,a,c-1]),A[tx,a,c]);
H[tx,a,c]=if_then_else(D[0,a,c]==-inf,0,if_then_else(c-1<0,0,H[tx,a,c-1]*exp(D[0,a,c-1]-D[0,a,c]))+exp(A[tx,a,c]-D[0,a,c]));
L(g,3)[I[tx,a,g,c]=if_then_else(D[0,a,c]==-inf,0,
if_then_else(c-1<0,0,I[tx,a,g,c-1]*exp(D[0,a,c-1]-D[0,a,c]))+exp(A[tx,a,c]-D[0,a,c])*C[tx,c,g]);];];
B(tx,1)L(a,8)L(c,3)[G[tx,a,c]=I[tx,a,c,5]/H[tx,a,5];];)");
}

TEST(Flashattention, TheWeightsAreReadElsewhere) {
  expect_refusal(kName, concat(kHeader, "@output J f32\n", kSoftmax, kMatmul, "B(tx,1)[J[]=F[0,0];];"), kDeferred,
                 "alone");
}

TEST(Flashattention, NoSoftmax) {
  expect_refusal(kName, R"(
@input A f32[8,6]
@input C f32[6,3]
@output G f32[8,3]
B(tx,8)L(c,3)L(d,6)[G[tx,c]=G[tx,c]+A[tx,d]*C[d,c];];
)",
                 R"({"at":"0","loop":"d","form":"deferred"})", "pattern");
}

TEST(Flashattention, MaskedRows) {
  const std::string_view masked = R"(
@input A f32[3,3]
@input C f32[3,2]
@output G f32[3,2]
B(tx,3)L(a,3)[S[tx,a]=if_then_else(a>=tx,A[tx,a],-inf);];
B(tx,3)L(a,3)[D[tx]=max(D[tx],S[tx,a]);];B(tx,3)L(a,3)[E[tx]=E[tx]+exp(S[tx,a]-D[tx]);];
B(tx,3)L(a,3)[F[tx,a]=exp(S[tx,a]-D[tx])/E[tx];];
B(tx,3)L(c,2)L(d,3)[G[tx,c]=G[tx,c]+F[tx,d]*C[d,c];];
)";
  expect_refusal(kName, masked, R"({"at":"4","loop":"a","form":"published"})", "above");
  EXPECT_EQ(listed(kName, masked, true), (std::vector<std::string>{R"({"at":"4","loop":"a","form":"deferred"})"}));
}

// A row that data masks as a whole is NaN and becomes 0 behind a maximum: the divisor must not be zero there.
TEST(Flashattention, ARowMaskedByDataBehindAMaximum) {
  expect_rewrite(kName, R"(
@input A f32[8,6]
@input M bool[8,6]
@input C f32[6,3]
@output J f32[8,3]
B(tx,8)L(a,6)[S[tx,a]=if_then_else(M:bool[tx,a],-inf,A[tx,a]);];
B(tx,8)L(a,6)[D[tx]=max(D[tx],S[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(S[tx,a]-D[tx]);];
B(tx,8)L(a,6)[F[tx,a]=exp(S[tx,a]-D[tx])/E[tx];];
B(tx,8)L(c,3)L(d,6)[G[tx,c]=G[tx,c]+F[tx,d]*C[d,c];];B(tx,8)L(c,3)[J[tx,c]=max(G[tx,c],0);];
)",
                 R"({"at":"4","loop":"a","form":"deferred"})",
                 R"(B(tx,8)L(a,6)[S[tx,a]=if_then_else(M:bool[tx,a],-inf,A[tx,a]);];
                    B(tx,8)L(a,6)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),S[tx,a]);
                    H[tx,a]=if_then_else(D[tx,a]==-inf,0,
                      if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(S[tx,a]-D[tx,a]));
                    L(c,3)[E[tx,c,a]=if_then_else(D[tx,a]==-inf,0,
                      if_then_else(a-1<0,0,E[tx,c,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(S[tx,a]-D[tx,a])*C[a,c]);];];
                    B(tx,8)L(c,3)[G[tx,c]=E[tx,c,5]/if_then_else(D[tx,5]==-inf,inf-inf,H[tx,5]);];
                    B(tx,8)L(c,3)[J[tx,c]=max(G[tx,c],0);];)");
}

TEST(Flashattention, Serial) {
  expect_refusal(kName, R"(
@input A f32[8,6]
@input C f32[6,3]
@output G f32[8,3]
B(tx,6)L(a,8)[D[a]=max(D[a],A[a,tx]);];B(tx,6)L(a,8)[E[a]=E[a]+exp(A[a,tx]-D[a]);];
B(tx,6)L(a,8)[F[a,tx]=exp(A[a,tx]-D[a])/E[a];];L(a,8)L(c,3)L(d,6)[G[a,c]=G[a,c]+F[a,d]*C[d,c];];
)",
                 R"({"at":"3","loop":"tx","form":"deferred"})", "serial");
}

TEST(Flashattention, TheScoresChangeBetween) {
  expect_refusal(kName, R"(
@input A f32[8,6]
@input C f32[6,3]
@output G f32[8,3]
B(tx,8)L(a,6)[S[tx,a]=A[tx,a];];B(tx,8)L(a,6)[D[tx]=max(D[tx],S[tx,a]);];B(tx,8)L(a,6)[S[tx,a]=A[tx,a]*2;];
B(tx,8)L(a,6)[E[tx]=E[tx]+exp(S[tx,a]-D[tx]);];B(tx,8)L(a,6)[F[tx,a]=exp(S[tx,a]-D[tx])/E[tx];];
B(tx,8)L(c,3)L(d,6)[G[tx,c]=G[tx,c]+F[tx,d]*C[d,c];];
)",
                 R"({"at":"5","loop":"a","form":"deferred"})", "between");
}

TEST(Flashattention, TheValuesNeedTheSum) {
  for (const std::string_view form : {"deferred", "published"}) {
    expect_refusal(kName, R"(
@input A f32[8,6]
@input C f32[6,3]
@output G f32[8,3]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];B(tx,8)L(c,3)L(d,6)[G[tx,c]=G[tx,c]+F[tx,d]*(C[d,c]/E[tx]*E[tx]);];
)",
                   concat(R"({"at":"3","loop":"a","form":")", form, R"("})"), "between");
  }
}

TEST(Flashattention, Memory) {
  expect_refusal(kName, R"(
@input A f32[1024,1024]
@input C f32[1024,4096]
@output G f32[1024,4096]
B(tx,1024)L(a,1024)[D[tx]=max(D[tx],A[tx,a]);];B(tx,1024)L(a,1024)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,1024)L(a,1024)[F[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];
B(tx,1024)L(c,4096)L(d,1024)[G[tx,c]=G[tx,c]+F[tx,d]*C[d,c];];
)",
                 kDeferred, "memory");
}

}  // namespace
}  // namespace steptp::testing
