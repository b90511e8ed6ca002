#include <gtest/gtest.h>

#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kLoss = R"(
@input A f16[6,10]
@input C f16[6,10]
@output D f16[]
B(tx,6)L(a,10)[F:f16[]=F:f16[]+(A:f16[tx,a]-C:f16[tx,a])**2;];B(tx,1)[D:f16[]=F:f16[]/60;];
)";

TEST(StagesMove, ALossIsFoldedByBlocksAndThenByOne) {
  expect_move("stages", kLoss, R"({"at":"0","parts":5,"threads":4,"sums":"wide"})",
              "B(bx,5)[B(tx,4)L(a,3)[F:s[]=F:s[]+(A:f16[(bx*12+a*4+tx)//10,(bx*12+a*4+tx)%10]"
              "-C:f16[(bx*12+a*4+tx)//10,(bx*12+a*4+tx)%10])**2;];E:f16[bx]=F:s[];];"
              "B(bx,1)[B(tx,4)L(c,2)?{c*4+tx<5}[G:s[]=G:s[]+E:f16[bx*5+c*4+tx];];D:f16[]=G:s[]/60;];");
}

TEST(StagesMove, ThreadsFoldNeighbours) {
  expect_move("stages", R"(
@input A f32[160]
@output D f32[]
L(a,160)[D[]=D[]+A[a];];
)",
              R"({"at":"0","parts":5,"threads":4,"sums":"plain","vector":4})",
              "B(bx,5)[B(tx,4)L(c,2)L(d,4)[F:s[]=F:s[]+A[bx*32+c*16+tx*4+d];];E[bx]=F:s[];];"
              "B(bx,1)[B(tx,4)L(c,2)?{c*4+tx<5}[G:s[]=G:s[]+E[bx*5+c*4+tx];];D[]=G:s[];];");
}

TEST(StagesMove, AContractionIsSplitOverItsSum) {
  expect_move("stages", R"(
@input A f32[6,12]
@input C f32[12,5]
@output D f32[6,5]
B(tx,6)L(a,5)L(c,12)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)",
              R"({"at":"0","parts":3,"threads":4,"sums":"plain"})",
              "B(bx,30)B(by,3)[B(tx,4)[G:s[]=G:s[]+A[bx//5,by*4+tx]*C[by*4+tx,bx%5];];E[bx//5,bx%5,by]=G:s[];];"
              "B(bx,6)B(by,5)[B(tx,3)[F:s[]=F:s[]+E[bx,by,tx];];D[bx,by]=F:s[];];");
}

// The division is over all elements: it stays behind both kernels.
TEST(StagesMove, WhatFollowsForEachElementStaysWhereItIs) {
  expect_move("stages", R"(
@input A f32[60]
@output C f32[60]
L(a,60)[D[]=max(D[],A[a]);];L(a,60)[C[a]=A[a]-D[];];
)",
              R"({"at":"0","parts":6,"threads":5,"sums":"plain"})",
              "B(bx,6)[B(tx,5)L(c,2)[F:s[]=max(F:s[],A[bx*10+c*5+tx]);];E[bx]=F:s[];];"
              "B(bx,1)[B(tx,5)L(c,2)?{c*5+tx<6}[G:s[]=max(G:s[],E[bx*6+c*5+tx]);];D[]=G:s[];];"
              "L(a,60)[C[a]=A[a]-D[];];");
}

TEST(StagesMove, Refuses) {
  expect_move_refusal("stages", kLoss, R"({"at":"1","parts":5,"threads":4,"sums":"plain"})", "reduction");
  expect_move_refusal("stages", kLoss, R"({"at":"0","parts":7,"threads":4,"sums":"plain"})", "divides",
                      "60 iterations in 7 parts");
  expect_move_refusal("stages", kLoss, R"({"at":"0","parts":60,"threads":4,"sums":"plain"})", "divides");
  expect_move_refusal("stages", kLoss, R"({"at":"0","parts":5,"threads":1,"sums":"plain"})", "threads");
  expect_move_refusal("stages", kLoss, R"({"at":"0","parts":5,"threads":4,"sums":"narrow"})", "choice");
  expect_move_refusal("stages", kLoss, R"({"at":"0","parts":5,"threads":4,"sums":"wide","vector":8})", "vector",
                      "8 neighbours of parts of 12");
  // Its accumulator is read by itself in another place: that is a recurrence, and there are no parts.
  expect_move_refusal("stages", R"(
@input A f32[8]
@output D f32[9]
L(a,8)[D[a+1]=D[a]+A[a];];
)",
                      R"({"at":"0","parts":4,"threads":2,"sums":"plain"})", "reduction");
}

}  // namespace
}  // namespace steptp::testing
