#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kStrategy = "precompute_indices";

TEST(PrecomputeIndices, OfAWindow) {
  constexpr std::string_view kWindow = R"(
@input A f32[8,6]
@input C f32[3]
@output D f32[8,4]
B(tx,8)L(a,4)L(c,3)[D[tx,a]=D[tx,a]+A[tx,a+c]*C[c];];
)";
  expect_rewrite(kStrategy, kWindow, R"({"at":"0/0:right.1.0[1]"})", R"(
B(tx,4)L(c,3)[E:i64[tx,c]=tx+c;];
B(tx,8)L(a,4)L(c,3)[D[tx,a]=D[tx,a]+A[tx,E:i64[a,c]]*C[c];];
)");
  EXPECT_EQ(listed(kStrategy, kWindow, true).size(), 1U);
  expect_refusal(kStrategy, kWindow, R"({"at":"0/0:right.1.0[0]"})", "calculated");
  expect_refusal(kStrategy, kWindow, R"({"at":"0/0:right.1.0"})", "place");
}

// All reads under the same loops share the table, also written the other way round and inside subscripts; a variable
// that occurs twice is one dimension.
TEST(PrecomputeIndices, SharesTheTable) {
  constexpr std::string_view kTwice = R"(
@input A f32[8]
@input C i64[8] [0,8)
@output D f32[2,4]
@output E f32[2,4]
L(a,2)[L(c,4)[D[a,c]=A[a*4+c]*A[7-a];E[a,c]=A[c+4*a]+A[C:i64[a*4+c]];];L(c,4)[D[a,c]=D[a,c]*A[a*4+c];];];
)";
  expect_rewrite(kStrategy, kTwice, R"({"at":"0/0/0:right.0[0]"})", R"(
B(tx,2)L(c,4)[F:i64[tx,c]=tx*4+c;];
L(a,2)[L(c,4)[D[a,c]=A[F:i64[a,c]]*A[7-a];E[a,c]=A[F:i64[a,c]]+A[C:i64[F:i64[a,c]]];];L(c,4)[D[a,c]=D[a,c]*A[a*4+c];];];
)");
  expect_refusal(kStrategy, kTwice, R"({"at":"0/0/1:right.0[0]"})", "calculated");
  expect_rewrite(kStrategy, R"(
@input A f32[8]
@output D f32[6]
L(a,6)[D[a]=A[a//2+a%3]*2;];
)",
                 R"({"at":"0/0:right.0[0]"})", "B(tx,6)[E:i64[tx]=tx//2+tx%3;];L(a,6)[D[a]=A[E:i64[a]]*2;];");
}

// Left sides and tensors that the expression writes stay visible to whoever asks about dependences.
TEST(PrecomputeIndices, LeavesWrittenTensorsAlone) {
  constexpr std::string_view kBoth = R"(
@input A f32[8]
@output D f32[8]
L(a,2)L(c,4)[D[a*4+c]=D[a*4+c]+A[a*4+c];];
)";
  expect_rewrite(kStrategy, kBoth, R"({"at":"0/0:right.1[0]"})", R"(
B(tx,2)L(c,4)[E:i64[tx,c]=tx*4+c;];
L(a,2)L(c,4)[D[a*4+c]=D[a*4+c]+A[E:i64[a,c]];];
)");
  expect_refusal(kStrategy, kBoth, R"({"at":"0/0:right.0[0]"})", "not-written");
}

TEST(PrecomputeIndices, Refusals) {
  // Only the condition keeps it in range.
  expect_refusal(kStrategy, R"(
@input A f32[8]
@output D f32[9]
L(a,9)[D[a]=if_then_else(a<1,0,A[a-1]);];
)",
                 R"({"at":"0/0:right.2[0]"})", "in-range");
  expect_refusal(kStrategy, R"(
@input A f32[8]
@output D f32[4]
V(a,4)[D[a]=A[a+4];];
)",
                 R"({"at":"0/0:right[0]"})", "lanes");
  expect_refusal(kStrategy, R"(
@input A f32[100000]
@output D f32[1]
L(a,50000)L(c,50000)[D[0]=D[0]+A[a+c];];
)",
                 R"({"at":"0/0:right.1[0]"})", "memory");
}

}  // namespace
}  // namespace steptp::testing
