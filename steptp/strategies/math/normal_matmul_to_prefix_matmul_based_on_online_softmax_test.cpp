#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kName = "normal_matmul_to_prefix_matmul_based_on_online_softmax";

constexpr std::string_view kHeader = R"(
@input A f32[8,6]
@input C f32[6,3]
@output G f32[8,3]
)";
constexpr std::string_view kRecurrences = R"(D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);
H[tx,a]=if_then_else(D[tx,a]==-inf,0,if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(A[tx,a]-D[tx,a]));)";
constexpr std::string_view kQuotient = "B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx,5])/H[tx,5];];";
constexpr std::string_view kMatmul = "B(tx,8)L(c,3)L(d,6)[G[tx,c]=G[tx,c]+F[tx,d]*C[d,c];];";
constexpr std::string_view kOutput = R"(L(g,3)[I[tx,g,a]=if_then_else(D[tx,a]==-inf,0,
if_then_else(a-1<0,0,I[tx,g,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(A[tx,a]-D[tx,a])*C[a,g]);];)";
constexpr std::string_view kLast = "B(tx,8)L(c,3)[G[tx,c]=I[tx,c,5]/H[tx,5];];";

std::string recurrences() { return concat("B(tx,8)L(a,6)[", kRecurrences, "];"); }

TEST(PrefixMatmul, Deferred) {
  expect_rewrite(kName, concat(kHeader, recurrences(), kQuotient, kMatmul), R"({"at":"2"})",
                 concat("B(tx,8)L(a,6)[", kRecurrences, kOutput, "];", kLast));
}

// A softmax that is NaN for a row masked as a whole stays so; a guard that is another one is not a softmax.
TEST(PrefixMatmul, Guarded) {
  const auto program = [](std::string_view guard) {
    return concat(kHeader, recurrences(), "B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx,5])/if_then_else(", guard, ");];",
                  kMatmul);
  };
  expect_rewrite(kName, program("D[tx,5]==-inf,inf-inf,H[tx,5]"), R"({"at":"2"})",
                 concat("B(tx,8)L(a,6)[", kRecurrences, kOutput, "];",
                        "B(tx,8)L(c,3)[G[tx,c]=I[tx,c,5]/if_then_else(D[tx,5]==-inf,inf-inf,H[tx,5]);];"));
  expect_refusal(kName, program("D[tx,5]==-inf,1,H[tx,5]"), R"({"at":"2"})", "pattern");
  expect_refusal(kName, program("D[tx,4]==-inf,inf-inf,H[tx,5]"), R"({"at":"2"})", "pattern");
}

TEST(PrefixMatmul, OtherNamesOtherOrdersTransposedValues) {
  expect_rewrite(kName,
                 concat(R"(
@input A f32[8,6]
@input C f32[3,6]
@output G f32[3,8]
)",
                        recurrences(), "L(c,6)L(d,8)[F[c,d]=exp(-D[d,5]+A[d,c])/H[d,5];];",
                        "L(i,3)L(j,8)L(k,6)[G[i,j]=C[i,k]*0.5*F[k,j]+G[i,j];];"),
                 R"({"at":"2"})",
                 concat("B(tx,8)L(a,6)[", kRecurrences, R"(L(g,3)[I[g,tx,a]=if_then_else(D[tx,a]==-inf,0,
if_then_else(a-1<0,0,I[g,tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(A[tx,a]-D[tx,a])*(C[g,a]*0.5));];];)",
                        "L(i,3)L(j,8)[G[i,j]=I[i,j,5]/H[j,5];];"));
}

constexpr std::string_view kBlocked = R"(L(a,2)[J[tx,f]=max(J[tx,f],A[tx,f*2+a]);];
D[tx,f]=max(if_then_else(f-1<0,-inf,D[tx,f-1]),J[tx,f]);
O[tx,f]=if_then_else(D[tx,f]==-inf,0,exp(if_then_else(f-1<0,-inf,D[tx,f-1])-D[tx,f]));
L(a,2)[K[tx,f,a]=if_then_else(D[tx,f]==-inf,0,exp(A[tx,f*2+a]-D[tx,f]));];
L(a,2)[M[tx,f]=M[tx,f]+K[tx,f,a];];
H[tx,f]=if_then_else(f-1<0,0,H[tx,f-1])*O[tx,f]+M[tx,f];)";

std::string blocked(const std::string& body) {
  return concat(kHeader, "B(tx,8)L(f,3)[", body, "];",
                "B(tx,8)L(f,3)L(a,2)[F[tx,f*2+a]=exp(A[tx,f*2+a]-D[tx,2])/H[tx,2];];",
                "B(tx,8)L(c,3)L(d,3)L(f,2)[G[tx,c]=G[tx,c]+F[tx,d*2+f]*C[d*2+f,c];];");
}

TEST(PrefixMatmul, Blocked) {
  const std::string before = blocked(std::string(kBlocked));
  expect_rewrite(kName, before, R"({"at":"2"})",
                 concat("B(tx,8)L(f,3)[", kBlocked, R"(L(g,3)[L(a,2)[N[tx,g,f]=N[tx,g,f]+K[tx,f,a]*C[f*2+a,g];];
I[tx,g,f]=if_then_else(f-1<0,0,I[tx,g,f-1])*O[tx,f]+N[tx,g,f];];];)",
                        "B(tx,8)L(c,3)[G[tx,c]=I[tx,c,2]/H[tx,2];];"));
  EXPECT_TRUE(listed(kName, before, false).empty());
  EXPECT_EQ(listed(kName, before, true).size(), 1U);
}

// What is summed is not what the maximum was taken of, or the factor is not that of the maximum.
TEST(PrefixMatmul, BlocksThatDoNotFit) {
  const auto with = [](std::string_view from, std::string_view to) {
    std::string body(kBlocked);
    body.replace(body.find(from), from.size(), to);
    return blocked(body);
  };
  expect_refusal(kName, with("exp(A[tx,f*2+a]", "exp(A[tx,f+a]"), R"({"at":"2"})", "pattern");
  expect_refusal(kName, with("f-1<0,-inf,D[tx,f-1])-", "f-1<0,0,D[tx,f-1])-"), R"({"at":"2"})", "pattern");
  expect_refusal(kName, with("H[tx,f-1])*O", "H[tx,f-1])/O"), R"({"at":"2"})", "pattern");
}

// The values are made between: the recurrences go down to the matmul.
TEST(PrefixMatmul, TheValuesComeLater) {
  expect_rewrite(kName,
                 concat(kHeader, recurrences(), "B(tx,6)L(a,3)[J[tx,a]=C[tx,a]*2;];", kQuotient,
                        "B(tx,8)L(c,3)L(d,6)[G[tx,c]=G[tx,c]+F[tx,d]*J[d,c];];"),
                 R"({"at":"3"})",
                 concat("B(tx,6)L(a,3)[J[tx,a]=C[tx,a]*2;];B(tx,8)L(a,6)[", kRecurrences,
                        R"(L(g,3)[I[tx,g,a]=if_then_else(D[tx,a]==-inf,0,
if_then_else(a-1<0,0,I[tx,g,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(A[tx,a]-D[tx,a])*J[a,g]);];];)",
                        kLast));
  expect_refusal(kName,
                 concat(kHeader, recurrences(), "B(tx,6)L(a,3)[J[tx,a]=C[tx,a]*H[tx,5];];", kQuotient,
                        "B(tx,8)L(c,3)L(d,6)[G[tx,c]=G[tx,c]+F[tx,d]*J[d,c];];"),
                 R"({"at":"3"})", "between");
}

TEST(PrefixMatmul, TheWeightsAreReadElsewhere) {
  expect_refusal(kName, concat(kHeader, "@output J f32\n", recurrences(), kQuotient, kMatmul, "B(tx,1)[J[]=F[0,0];];"),
                 R"({"at":"2"})", "alone");
  expect_refusal(kName, R"(
@input A f32[8,6]
@input C f32[6,3]
@output F f32[8,6]
@output G f32[8,3]
)" + concat(recurrences(), kQuotient, kMatmul),
                 R"({"at":"2"})", "pattern");
}

// Something stands between that is still needed: a dropout, say.
TEST(PrefixMatmul, NotTheSoftmaxItself) {
  expect_refusal(kName,
                 concat(kHeader, recurrences(), kQuotient, "B(tx,8)L(a,6)[J[tx,a]=F[tx,a]*2;];",
                        "B(tx,8)L(c,3)L(d,6)[G[tx,c]=G[tx,c]+J[tx,d]*C[d,c];];"),
                 R"({"at":"3"})", "pattern");
  const std::string_view other_sum = "B(tx,8)L(c,3)L(d,6)[G[d,c]=G[d,c]+F[tx,d]*C[d,c];];";
  expect_refusal(
      kName, concat("@input A f32[8,6]\n@input C f32[6,3]\n@output G f32[6,3]\n", recurrences(), kQuotient, other_sum),
      R"({"at":"2"})", "pattern");
}

TEST(PrefixMatmul, NothingMoreInsideAVectorizedLoop) {
  expect_refusal(kName,
                 concat(kHeader, R"(L(a,6)V(c,8)[D[c,a]=max(if_then_else(a-1<0,-inf,D[c,a-1]),A[c,a]);
H[c,a]=if_then_else(D[c,a]==-inf,0,if_then_else(a-1<0,0,H[c,a-1]*exp(D[c,a-1]-D[c,a]))+exp(A[c,a]-D[c,a]));];)",
                        kQuotient, kMatmul),
                 R"({"at":"2"})", "pattern");
}

// One number is another: the recurrence begins with 1, or the quotient reads the fourth value.
TEST(PrefixMatmul, NearlyTheRecurrence) {
  std::string wrong = recurrences();
  const std::size_t at = wrong.find("a-1<0,0,");
  wrong.replace(at, 8, "a-1<0,1,");
  expect_refusal(kName, concat(kHeader, wrong, kQuotient, kMatmul), R"({"at":"2"})", "pattern");
  expect_refusal(kName,
                 concat(kHeader, recurrences(), "B(tx,8)L(a,6)[F[tx,a]=exp(A[tx,a]-D[tx,4])/H[tx,5];];", kMatmul),
                 R"({"at":"2"})", "pattern");
}

TEST(PrefixMatmul, Memory) {
  expect_refusal(kName, R"(
@input A f32[1024,1024]
@input C f32[1024,4096]
@output G f32[1024,4096]
B(tx,1024)L(a,1024)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);
H[tx,a]=if_then_else(D[tx,a]==-inf,0,if_then_else(a-1<0,0,H[tx,a-1]*exp(D[tx,a-1]-D[tx,a]))+exp(A[tx,a]-D[tx,a]));];
B(tx,1024)L(a,1024)[F[tx,a]=exp(A[tx,a]-D[tx,1023])/H[tx,1023];];
B(tx,1024)L(c,4096)L(d,1024)[G[tx,c]=G[tx,c]+F[tx,d]*C[d,c];];
)",
                 R"({"at":"2"})", "memory");
}

}  // namespace
}  // namespace steptp::testing
