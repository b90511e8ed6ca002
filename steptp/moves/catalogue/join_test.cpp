#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kScores = R"(
@input A f32[8,6]
@input C f32[6,64]
@output E f32[8]
B(tx,8)L(a,64)L(c,6)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];B(tx,8)L(a,64)[E[tx]=max(E[tx],D[tx,a]);];
)";
constexpr std::string_view kCentred = R"(
@input A f32[4,10,50]
@input C f32[50,70]
@output E f32[4,10,70]
B(tx,4)L(a,10)L(c,50)[D[tx,a]=D[tx,a]+A[tx,a,c];];B(tx,4)L(a,10)[F[tx,a]=D[tx,a]/50;];B(tx,4)L(a,10)L(c,50)[G[tx,a,c]=A[tx,a,c]-F[tx,a];];B(tx,4)L(a,10)L(d,70)L(c,50)[E[tx,a,d]=E[tx,a,d]+G[tx,a,c]*C[c,d];];
)";
constexpr std::string_view kHalves = R"(
@input A f16[6,40]
@input C f16[40,5]
@output E f16[6,5]
@output D f16[6]
B(tx,6)L(c,40)[D:f16[tx]=D:f16[tx]+A:f16[tx,c];];B(tx,6)L(a,5)L(c,40)[F:f16[tx,a]=F:f16[tx,a]+A:f16[tx,c]*C:f16[c,a];];B(tx,6)L(a,5)[E:f16[tx,a]=F:f16[tx,a]*D:f16[tx];];
)";
// The first two share nothing but the number of their rows; the last reads rows from the other end.
constexpr std::string_view kApart = R"(
@input A f32[8,40]
@input C f32[40]
@output E f32[8]
@output F f32[8,40]
@output G f32[8]
B(tx,8)L(a,40)[E[tx]=E[tx]+A[tx,a];];B(tx,40)L(a,8)[D[a,tx]=A[a,tx]*C[tx];];B(tx,8)L(a,40)[F[tx,a]=D[tx,a]*E[tx];];B(tx,8)L(a,40)[G[tx]=max(G[tx],D[7-tx,a]);];
)";

std::string choice(int expressions, int axes, int rows, int threads, std::string_view sums = "plain") {
  return concat(R"({"at":"0","expressions":)", expressions, R"(,"axes":)", axes, R"(,"rows":)", rows, R"(,"threads":)",
                threads, R"(,"sums":")", sums, R"("})");
}

TEST(JoinMove, AProductAndTheMaximumOfItsRows) {
  expect_move("join", kScores, choice(2, 1, 1, 128),
              "B(bx,8)[B(tx,64)L(c,6)[F:l[]=F:l[]+A[bx,c]*C[c,tx];];B(tx,64)[D:s[]=max(D:s[],F:l[]);];E[bx]=D:s[];];");
}

// Sums stay with their threads, because all that has threads has the axis of the rows.
TEST(JoinMove, ABlockHasSeveralRows) {
  expect_move("join", kScores, choice(2, 1, 4, 128),
              "B(bx,2)[B(ty,4)B(tx,32)L(g,2)L(c,6)[F:l[g]=F:l[g]+A[bx*4+ty,c]*C[c,g*32+tx];];"
              "B(ty,4)B(tx,32)L(f,2)[D:s[ty]=max(D:s[ty],F:l[f]);];B(tx,4)[E[bx*4+tx]=D:s[tx];];];");
}

TEST(JoinMove, WhatIsInsideDiffersAndPassesThroughSharedMemory) {
  expect_move("join", kCentred, choice(4, 2, 1, 64),
              "B(by,4)B(bx,10)[B(tx,50)[H:s[]=H:s[]+A[by,bx,tx];];D:s[]=H:s[]/50;B(tx,50)[F:s[tx]=A[by,bx,tx]-D:s[];];"
              "B(tx,64)[L(g,2)L(c,50)?{g*64+tx<70}[G:l[g]=G:l[g]+F:s[c]*C[c,g*64+tx];];"
              "L(g,2)?{g*64+tx<70}[E[by,bx,g*64+tx]=G:l[g];];];];");
  // The last of several rows is not whole.
  expect_move("join", kCentred, choice(4, 2, 3, 64),
              "B(by,4)B(bx,4)[B(ty,3)B(tx,21)L(g,3)?{bx*3+ty<10&g*21+tx<50}[H:s[ty]=H:s[ty]+A[by,bx*3+ty,g*21+tx];];"
              "B(ty,3)?{bx*3+ty<10}[D:s[ty]=H:s[ty]/50;];"
              "B(ty,3)B(tx,21)L(g,3)?{bx*3+ty<10&g*21+tx<50}[F:s[ty,g*21+tx]=A[by,bx*3+ty,g*21+tx]-D:s[ty];];"
              "B(ty,3)B(tx,21)?{bx*3+ty<10}[L(h,4)L(c,50)?{h*21+tx<70}[G:l[h]=G:l[h]+F:s[ty,c]*C[c,h*21+tx];];"
              "L(h,4)?{h*21+tx<70}[E[by,bx*3+ty,h*21+tx]=G:l[h];];];];");
}

TEST(JoinMove, HalvesAreFoldedInF32) {
  expect_move("join", kHalves, choice(3, 1, 2, 32, "wide"),
              "B(bx,3)[B(ty,2)B(tx,16)L(f,3)?{f*16+tx<40}[G:f32,s[ty]=G:f32,s[ty]+A:f16[bx*2+ty,f*16+tx];];"
              "B(ty,2)B(tx,16)L(a,5)L(g,3)?{g*16+tx<40}"
              "[H:f32,s[ty,a]=H:f32,s[ty,a]+A:f16[bx*2+ty,g*16+tx]*C:f16[g*16+tx,a];];"
              "B(ty,2)B(tx,5)[E:f16[bx*2+ty,tx]=H:f32,s[ty,tx]*G:f32,s[ty];];B(tx,2)[D:f16[bx*2+tx]=G:f32,s[tx];];];");
}

// With more threads those that fold for one element have an axis of their own, and so has every other part.
TEST(JoinMove, AllPartsHaveAllAxes) {
  expect_move("join", kHalves, choice(3, 1, 1, 256),
              "B(bx,6)[B(ty,1)B(tx,40)[G:f16,s[]=G:f16,s[]+A:f16[bx,ty*40+tx];];"
              "B(ty,5)B(tx,40)[H:f16,s[ty]=H:f16,s[ty]+A:f16[bx,tx]*C:f16[tx,ty];];"
              "B(ty,1)B(tx,5)[E:f16[bx,ty*5+tx]=H:f16,s[ty*5+tx]*G:f16,s[];];D:f16[bx]=G:f16,s[];];");
}

TEST(JoinMove, WhatIsReadLaterStaysWhereItIs) {
  expect_move("join", kApart, choice(3, 1, 1, 64),
              "B(bx,8)[B(tx,40)[H:s[]=H:s[]+A[bx,tx];];B(tx,40)[D[bx,tx]=A[bx,tx]*C[tx];];"
              "B(tx,40)[F[bx,tx]=D[bx,tx]*H:s[];];E[bx]=H:s[];];B(tx,8)L(a,40)[G[tx]=max(G[tx],D[7-tx,a]);];");
}

TEST(JoinMove, Refusals) {
  // The fourth reads what other blocks make.
  expect_move_refusal("join", kApart, choice(4, 1, 1, 64), "common", "no loop is common to all of the 4 expressions");
  expect_move_refusal("join", kApart, choice(3, 2, 1, 64), "common", "1 common loops");
  expect_move_refusal("join", kApart, choice(1, 1, 1, 64), "common", "1 expressions");
  expect_move_refusal("join", kApart, choice(5, 1, 1, 64), "common", "5 expressions");
  expect_move_refusal("join", R"(
@input A f32[8,8]
@output E f32[8,8]
B(tx,8)L(a,8)[D[tx,a]=A[tx,a]*2;];B(tx,8)L(a,8)L(c,8)[E[tx,a]=E[tx,a]+D[tx,c]*D[a,c];];
)",
                      choice(2, 1, 1, 32), "common", "no loop is common");
  expect_move_refusal("join", kScores, choice(2, 1, 9, 64), "rows", "9 of 8 iterations");
  expect_move_refusal("join", kScores, choice(2, 1, 0, 64), "rows", "0 of 8 iterations");
  expect_move_refusal("join", R"(
@input A f32[80,6]
@output D f32[80]
@output E f32[80]
B(tx,80)L(a,6)[D[tx]=D[tx]+A[tx,a];];B(tx,80)L(a,6)[E[tx]=max(E[tx],A[tx,a]);];
)",
                      choice(2, 1, 40, 32), "rows", "40 of 80 iterations by 32 threads");
  expect_move_refusal("join", kScores, choice(2, 1, 1, 16), "threads", "16 threads");
  expect_move_refusal("join", kScores, choice(2, 1, 1, 2048), "threads", "2048 threads");
  // A row does not fit into the shared memory of a block.
  expect_move_refusal("join", R"(
@input A f32[8,70000]
@output E f32[8,70000]
B(tx,8)L(a,70000)[D[tx,a]=A[tx,a]*2;];B(tx,8)L(a,70000)[E[tx,a]=D[tx,69999-a];];
)",
                      choice(2, 1, 1, 32), "step", "280064 bytes in s");
}

}  // namespace
}  // namespace steptp::testing
