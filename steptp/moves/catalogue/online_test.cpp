#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kSoftmax = R"(
@input A f32[6,5]
@output F f32[6,5]
B(tx,6)L(a,5)[D[tx]=max(D[tx],A[tx,a]);];
B(tx,6)L(a,5)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,6)L(a,5)[F[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];
)";
constexpr std::string_view kAttention = R"(
@input A f32[2,4,8]
@input C f32[2,8,3]
@output G f32[2,4,3]
B(tx,2)L(a,4)L(c,8)[D[tx,a]=max(D[tx,a],A[tx,a,c]);];
B(tx,2)L(a,4)L(c,8)[E[tx,a]=E[tx,a]+exp(A[tx,a,c]-D[tx,a]);];
B(tx,2)L(a,4)L(c,8)[F[tx,a,c]=exp(A[tx,a,c]-D[tx,a])/E[tx,a];];
B(tx,2)L(a,4)L(d,3)L(c,8)[G[tx,a,d]=G[tx,a,d]+F[tx,a,c]*C[tx,c,d];];
)";
constexpr std::string_view kLogSum = R"(
@input A f64[7,9]
@output D f64[7]
@output E f64[7]
B(tx,7)L(a,9)[D:f64[tx]=max(D:f64[tx],A:f64[tx,a]);];
B(tx,7)L(a,9)[F:f64[tx]=F:f64[tx]+exp(A:f64[tx,a]-D:f64[tx]);];
B(tx,7)[E:f64[tx]=D:f64[tx]+log(F:f64[tx]);];
)";

std::string choice(int at, std::string_view kind, int rows, int following) {
  return concat(R"({"at":")", at, R"(","kind":")", kind, R"(","rows":)", rows, R"(,"following":)", following, "}");
}

TEST(OnlineMove, ASoftmaxInTwoPasses) {
  expect_move("online", kSoftmax, choice(1, "softmax", 4, 1),
              "B(bx,2)B(tx,4)?{bx*4+tx<6}[G:l[]=-inf;L(a,5)[D:l[]=G:l[];G:l[]=max(D:l[],A[bx*4+tx,a]);"
              "E:l[]=if_then_else(G:l[]==-inf,0,if_then_else(a-1<0,0,E:l[]*exp(D:l[]-G:l[]))"
              "+exp(A[bx*4+tx,a]-G:l[]));];"
              "L(a,5)[F[bx*4+tx,a]=exp(A[bx*4+tx,a]-G:l[])/E:l[];];];");
}

TEST(OnlineMove, WhatIsReadLaterIsWrittenBack) {
  expect_move("online", kSoftmax, choice(0, "maximum", 1, 1),
              "B(bx,6)[L(a,5)[G:l[]=max(if_then_else(a-1<0,-inf,G:l[]),A[bx,a]);];D[bx]=G:l[];];"
              "B(tx,6)L(a,5)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];"
              "B(tx,6)L(a,5)[F[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];");
}

TEST(OnlineMove, OfWhatStandsThere) {
  const auto made = [](std::string_view program, std::string_view how) {
    (void)after_move("online", move_program(program), how);
  };
  made(kSoftmax, choice(1, "softmax", 1, 0));
  made(kSoftmax, choice(1, "exponentials", 3, 0));
  made(kSoftmax, choice(1, "exponentials", 3, 1));
  made(kSoftmax, choice(1, "sum", 2, 0));
  for (const int following : {0, 1}) {
    for (const int rows : {1, 3, 8}) made(kAttention, choice(3, "attention", rows, following));
  }
  made(kAttention, choice(3, "sum", 5, 0));
  made(kLogSum, choice(1, "exponentials", 2, 0));
  made(kLogSum, choice(0, "maximum", 7, 0));
}

TEST(OnlineMove, Refuses) {
  expect_move_refusal("online", kSoftmax, choice(2, "softmax", 4, 0), "reduction");
  expect_move_refusal("online", kSoftmax, choice(9, "softmax", 4, 0), "reduction");
  expect_move_refusal("online", kSoftmax, choice(0, "softmax", 4, 0), "kind");
  expect_move_refusal("online", kSoftmax, choice(1, "maximum", 4, 0), "kind");
  expect_move_refusal("online", kSoftmax, choice(1, "attention", 4, 0), "kind");
  expect_move_refusal("online", kSoftmax, choice(1, "softmax", 0, 0), "rows");
  expect_move_refusal("online", kSoftmax, choice(1, "softmax", 7, 0), "rows");
  expect_move_refusal("online", kSoftmax, choice(1, "softmax", 2, 2), "following");
  expect_move_refusal("online", kSoftmax, choice(1, "softmax", 2, -1), "following");
  // The sum is of no softmax.
  expect_move_refusal("online", kLogSum, choice(1, "softmax", 2, 0), "step", "online_softmax refused [pattern]");
  expect_move_refusal("online", R"(
@input A f32[6,5]
@output D f32
L(a,6)L(c,5)[D[]=max(D[],A[a,c]);];
)",
                      choice(0, "maximum", 1, 0), "reduction");
}

}  // namespace
}  // namespace steptp::testing
