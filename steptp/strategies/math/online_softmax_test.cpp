#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kDeferred = R"({"at":"1","loop":"a","form":"deferred"})";

TEST(OnlineSoftmax, Deferred) {
  expect_rewrite("online_softmax", R"(
@input A f32[8,6]
@output F f32[8,6]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];
)",
                 kDeferred,
                 R"(B(tx,8)L(a,6)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);
                    H[tx,a]=if_then_else(D[tx,a]==-inf,0,
                      if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(A[tx,a]-D[tx,a]));];
                    B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx,5])/H[tx,5];];)");
}

TEST(OnlineSoftmax, LogSoftmaxOverTheFirstAxis) {
  expect_rewrite("online_softmax", R"(
@input A f32[6,8]
@output F f32[6,8]
L(c,8)L(a,6)[D[c]=max(D[c],A[a,c]);];L(c,8)L(a,6)[E[c]=E[c]+exp(A[a,c]-D[c]);];
L(a,6)L(c,8)[F[a,c]=A[a,c]-D[c]-log(E[c]);];
)",
                 kDeferred,
                 R"(L(c,8)L(a,6)[D[c,a]=max(if_then_else(a-1<0,-inf,D[c,a-1]),A[a,c]);
                    H[c,a]=if_then_else(D[c,a]==-inf,0,
                      if_then_else(a-1<0,0,H[c,a-1]*exp(D[c,a-1]-D[c,a]))+exp(A[a,c]-D[c,a]));];
                    L(a,6)L(c,8)[F[a,c]=A[a,c]-D[c,5]-log(H[c,5]);];)");
}

// Both softmaxes can be rewritten, one after the other.
TEST(OnlineSoftmax, TwoOfOneInput) {
  const std::string_view two = R"(
@input A f32[4,6]
@output F f32[4,6]
@output G f32[4,6]
B(tx,4)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,4)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,4)L(a,6)[H[a]=max(H[a],A[tx,a]);];
L(a,6)L(c,4)[I[a]=max(I[a],A[c,a]);];L(a,6)L(c,4)[J[a]=J[a]+exp(A[c,a]-I[a]);];
B(tx,4)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];L(a,4)L(c,6)[G[a,c]=exp(A[a,c]-I[c])/J[c]*H[c];];
)";
  const std::vector<std::string> wanted = {
      R"({"at":"1","loop":"a","form":"deferred"})", R"({"at":"1","loop":"a","form":"published"})",
      R"({"at":"4","loop":"c","form":"deferred"})", R"({"at":"4","loop":"c","form":"published"})"};
  EXPECT_EQ(listed("online_softmax", two, true), wanted);
  expect_rewrite("online_softmax", two, wanted[2], R"(
B(tx,4)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,4)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,4)L(a,6)[H[a]=max(H[a],A[tx,a]);];
L(a,6)L(c,4)[I[a,c]=max(if_then_else(c-1<0,-inf,I[a,c-1]),A[c,a]);
K[a,c]=if_then_else(I[a,c]==-inf,0,if_then_else(c-1<0,0,K[a,c-1]*exp(I[a,c-1]-I[a,c]))+exp(A[c,a]-I[a,c]));];
B(tx,4)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];L(a,4)L(c,6)[G[a,c]=exp(A[a,c]-I[c,3])/K[c,3]*H[c];];)");
}

// The row -inf, 1, 0.5: the correction alone would be exp(-inf+inf).
TEST(OnlineSoftmax, RowsThatBeginWithMinusInfinity) {
  const std::string_view masked = R"(
@input A f32[2,3]
@output F f32[2,3]
B(tx,2)L(a,3)[G[tx,a]=if_then_else(a>=tx,A[tx,a],-inf);];
B(tx,2)L(a,3)[D[tx]=max(D[tx],G[tx,a]);];B(tx,2)L(a,3)[E[tx]=E[tx]+exp(G[tx,a]-D[tx]);];
B(tx,2)L(a,3)[F[tx,a]=exp(G[tx,a]-D[tx])/E[tx];];
)";
  EXPECT_EQ(listed("online_softmax", masked, true),
            (std::vector<std::string>{R"({"at":"2","loop":"a","form":"deferred"})"}));
  expect_rewrite("online_softmax", masked, R"({"at":"2","loop":"a","form":"deferred"})",
                 R"(B(tx,2)L(a,3)[G[tx,a]=if_then_else(a>=tx,A[tx,a],-inf);];
                    B(tx,2)L(a,3)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),G[tx,a]);
                    H[tx,a]=if_then_else(D[tx,a]==-inf,0,
                      if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(G[tx,a]-D[tx,a]));];
                    B(tx,2)L(a,3)[F[tx,a]=exp(G[tx,a]-D[tx,2])/if_then_else(D[tx,2]==-inf,inf-inf,H[tx,2]);];)");
  expect_refusal("online_softmax", masked, R"({"at":"2","loop":"a","form":"published"})", "above");
}

// A row that data masks as a whole is NaN and becomes 0 behind a maximum: the divisor must not be zero there.
TEST(OnlineSoftmax, ARowMaskedByDataBehindAMaximum) {
  expect_rewrite("online_softmax", R"(
@input A f32[2,3]
@input C bool[2,3]
@output J f32[2,3]
B(tx,2)L(a,3)[G[tx,a]=if_then_else(C:bool[tx,a],-inf,A[tx,a]);];
B(tx,2)L(a,3)[D[tx]=max(D[tx],G[tx,a]);];B(tx,2)L(a,3)[E[tx]=E[tx]+exp(G[tx,a]-D[tx]);];
B(tx,2)L(a,3)[F[tx,a]=exp(G[tx,a]-D[tx])/E[tx];];B(tx,2)L(a,3)[J[tx,a]=max(F[tx,a],0);];
)",
                 R"({"at":"2","loop":"a","form":"deferred"})",
                 R"(B(tx,2)L(a,3)[G[tx,a]=if_then_else(C:bool[tx,a],-inf,A[tx,a]);];
                    B(tx,2)L(a,3)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),G[tx,a]);
                    H[tx,a]=if_then_else(D[tx,a]==-inf,0,
                      if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(G[tx,a]-D[tx,a]));];
                    B(tx,2)L(a,3)[F[tx,a]=exp(G[tx,a]-D[tx,2])/if_then_else(D[tx,2]==-inf,inf-inf,H[tx,2]);];
                    B(tx,2)L(a,3)[J[tx,a]=max(F[tx,a],0);];)");
}

// The sum has its subscripts in another order than the maximum: a copy of it is NaN for a masked row.
TEST(OnlineSoftmax, SubscriptsInAnotherOrder) {
  expect_rewrite("online_softmax", R"(
@input A f32[2,2,3]
@input C bool[2,3]
@output F f32[2,2,3]
B(tx,2)L(c,2)L(a,3)[G[tx,c,a]=if_then_else(C:bool[tx,a],-inf,A[tx,c,a]);];
B(tx,2)L(c,2)L(a,3)[D[c,tx]=max(D[c,tx],G[tx,c,a]);];
B(tx,2)L(c,2)L(a,3)[E[tx,c]=E[tx,c]+exp(G[tx,c,a]-D[c,tx]);];
B(tx,2)L(c,2)L(a,3)[F[tx,c,a]=exp(G[tx,c,a]-D[c,tx])/E[tx,c];];
)",
                 R"({"at":"2","loop":"a","form":"deferred"})",
                 R"(B(tx,2)L(c,2)L(a,3)[G[tx,c,a]=if_then_else(C:bool[tx,a],-inf,A[tx,c,a]);];
                    B(tx,2)L(c,2)L(a,3)[D[c,tx,a]=max(if_then_else(a-1<0,-inf,D[c,tx,a-1]),G[tx,c,a]);
                    H[tx,c,a]=if_then_else(D[c,tx,a]==-inf,0,
                      if_then_else(a-1<0,0,H[tx,c,a-1]*exp(D[c,tx,a-1]-D[c,tx,a]))+exp(G[tx,c,a]-D[c,tx,a]));];
                    B(tx,2)L(c,2)[E[tx,c]=if_then_else(D[c,tx,2]==-inf,inf-inf,H[tx,c,2]);];
                    B(tx,2)L(c,2)L(a,3)[F[tx,c,a]=exp(G[tx,c,a]-D[c,tx,2])/E[tx,c];];)");
}

// Somebody else reads the sum, which is NaN where a whole row is -inf: it stays as it was there.
TEST(OnlineSoftmax, TheSumIsReadElsewhere) {
  expect_rewrite("online_softmax", R"(
@input A f32[2,3]
@output F f32[2,3]
@output J f32[2]
B(tx,2)L(a,3)[G[tx,a]=if_then_else(a>=tx,A[tx,a],-inf);];
B(tx,2)L(a,3)[D[tx]=max(D[tx],G[tx,a]);];B(tx,2)L(a,3)[E[tx]=E[tx]+exp(G[tx,a]-D[tx]);];
B(tx,2)L(a,3)[F[tx,a]=exp(G[tx,a]-D[tx])/E[tx];];B(tx,2)[J[tx]=max(E[tx],2);];
)",
                 R"({"at":"2","loop":"a","form":"deferred"})",
                 R"(B(tx,2)L(a,3)[G[tx,a]=if_then_else(a>=tx,A[tx,a],-inf);];
                    B(tx,2)L(a,3)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),G[tx,a]);
                    H[tx,a]=if_then_else(D[tx,a]==-inf,0,
                      if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(G[tx,a]-D[tx,a]));];
                    B(tx,2)[E[tx]=if_then_else(D[tx,2]==-inf,inf-inf,H[tx,2]);];
                    B(tx,2)L(a,3)[F[tx,a]=exp(G[tx,a]-D[tx,2])/if_then_else(D[tx,2]==-inf,inf-inf,H[tx,2]);];
                    B(tx,2)[J[tx]=max(E[tx],2);];)");
}

// A norm before the softmax: its divisor is positive, so that the scores are finite; without the 1e-05 it may be zero.
TEST(OnlineSoftmax, FiniteByItsDefinition) {
  const auto forms = [](std::string_view divisor) {
    return listed("online_softmax",
                  concat(R"(
@input A f32[8,6]
@output F f32[8,6]
B(tx,8)L(a,6)[W[tx]=W[tx]+A[tx,a]**2;];B(tx,8)L(a,6)[G[tx,a]=A[tx,a]/)",
                         divisor, R"(;];
B(tx,8)L(a,6)[D[tx]=max(D[tx],G[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(G[tx,a]-D[tx]);];
B(tx,8)L(a,6)[F[tx,a]=exp(G[tx,a]-D[tx])/E[tx];];
)"),
                  false)
        .size();
  };
  EXPECT_EQ(forms("sqrt(W[tx]/6+1e-05)"), 2U);
  EXPECT_EQ(forms("sqrt(W[tx]/6)"), 1U);
  EXPECT_EQ(forms("max(W[tx],1)"), 2U);
  EXPECT_EQ(forms("max(W[tx],A[tx,a])"), 1U);
}

// The recurrence is not negative only if one believes that it is.
TEST(OnlineSoftmax, NotFiniteByAssumption) {
  const std::string_view roots = R"(
@input A f32[8,6]
@output F f32[8,6]
B(tx,8)L(a,6)[G[tx,a]=if_then_else(a-1<0,4,sqrt(G[tx,a-1])-5);];
B(tx,8)L(a,6)[D[tx]=max(D[tx],G[tx,a]+A[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(G[tx,a]+A[tx,a]-D[tx]);];
B(tx,8)L(a,6)[F[tx,a]=exp(G[tx,a]+A[tx,a]-D[tx])/E[tx];];
)";
  expect_refusal("online_softmax", roots, R"({"at":"2","loop":"a","form":"published"})", "above");
}

TEST(OnlineSoftmax, InsideOneKernel) {
  expect_rewrite("online_softmax", R"(
@input A f32[8,6]
@output F f32[8,6]
B(tx,8)[L(f,3)L(a,2)[D[tx]=max(D[tx],A[tx,f*2+a]);];L(f,3)L(a,2)[E[tx]=E[tx]+exp(A[tx,f*2+a]-D[tx]);];
L(a,3)L(f,2)[F[tx,a*2+f]=1/E[tx]*exp(A[tx,a*2+f]-D[tx]);];];
)",
                 R"({"at":"0/1","loop":"f","form":"deferred"})",
                 R"(B(tx,8)[L(f,3)[L(a,2)[G[tx,f]=max(G[tx,f],A[tx,f*2+a]);];
                    D[tx,f]=max(if_then_else(f-1<0,-inf,D[tx,f-1]),G[tx,f]);
                    J[tx,f]=if_then_else(D[tx,f]==-inf,0,exp(if_then_else(f-1<0,-inf,D[tx,f-1])-D[tx,f]));
                    L(a,2)[I[tx,f,a]=if_then_else(D[tx,f]==-inf,0,exp(A[tx,f*2+a]-D[tx,f]));];
                    L(a,2)[H[tx,f]=H[tx,f]+I[tx,f,a];];
                    E[tx,f]=if_then_else(f-1<0,0,E[tx,f-1])*J[tx,f]+H[tx,f];];
                    L(a,3)L(f,2)[F[tx,a*2+f]=1/E[tx,2]*exp(A[tx,a*2+f]-D[tx,2]);];];)");
}

TEST(OnlineSoftmax, NoQuotient) {
  expect_refusal("online_softmax", R"(
@input A f32[8,6]
@output F f32[8]
B(tx,8)L(a,6)[D[tx]=max(D[tx],A[tx,a]);];B(tx,8)L(a,6)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];B(tx,8)[F[tx]=log(E[tx])+D[tx];];
)",
                 kDeferred, "pattern");
}

TEST(OnlineSoftmax, Serial) {
  expect_refusal("online_softmax", R"(
@input A f32[8,6]
@output F f32[8,6]
B(tx,8)L(a,6)[D[a]=max(D[a],A[tx,a]);];B(tx,8)L(a,6)[E[a]=E[a]+exp(A[tx,a]-D[a]);];
B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]-D[a])/E[a];];
)",
                 R"({"at":"1","loop":"tx","form":"deferred"})", "serial");
}

TEST(OnlineSoftmax, TheScoresChangeBetween) {
  expect_refusal("online_softmax", R"(
@input A f32[8,6]
@output F f32[8,6]
B(tx,8)L(a,6)[G[tx,a]=A[tx,a];];
B(tx,8)L(a,6)[D[tx]=max(D[tx],G[tx,a]);];B(tx,8)L(a,6)[G[tx,a]=A[tx,a]*2;];
B(tx,8)L(a,6)[E[tx]=E[tx]+exp(G[tx,a]-D[tx]);];B(tx,8)L(a,6)[F[tx,a]=exp(G[tx,a]-D[tx])/E[tx];];
)",
                 R"({"at":"3","loop":"a","form":"deferred"})", "between");
}

TEST(OnlineSoftmax, Memory) {
  expect_refusal("online_softmax", R"(
@input A f32[65536]
@input C f32[65536]
@output F f32[4]
L(c,65536)L(a,65536)[D[c]=max(D[c],A[c]*C[a]);];L(c,65536)L(a,65536)[E[c]=E[c]+exp(A[c]*C[a]-D[c]);];
L(c,65536)L(a,65536)[G[c,a]=exp(A[c]*C[a]-D[c])/E[c];];L(a,4)[F[a]=G[a,a];];
)",
                 kDeferred, "memory");
}

}  // namespace
}  // namespace steptp::testing
