#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kTriangle = R"(
@input A f32[6,4]
@input C f32[4,6]
@output E f32[6,6]
B(tx,6)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
B(tx,6)L(a,6)[E[tx,a]=if_then_else(a<=tx,D[tx,a],0);];
)";

TEST(RangeCut, OnlyWhatIsNeeded) {
  expect_rewrite("range_cut", kTriangle, R"({"at":"0/0","form":"needed"})",
                 "B(tx,6)L(a,6)L(c,4)?{a<=tx}[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];"
                 "B(tx,6)L(a,6)[E[tx,a]=if_then_else(a<=tx,D[tx,a],0);];");
}

// The reader walks the tensor the other way round, and has a second read under a guard.
TEST(RangeCut, ConditionsInTheNamesOfTheWriter) {
  expect_rewrite("range_cut", R"(
@input A f32[6,5]
@output E f32[5,6]
@output F f32[5]
B(tx,6)L(a,5)[D[tx,a]=exp(A[tx,a]);];
B(tx,5)L(a,6)[E[tx,a]=if_then_else(a<3&tx>0,D[a,tx],a);];
B(tx,5)L(c,6)?{c<3}[F[tx]=F[tx]+D[c,tx];];
)",
                 R"({"at":"0/0","form":"needed"})",
                 "B(tx,6)L(a,5)?{tx<3}[D[tx,a]=exp(A[tx,a]);];"
                 "B(tx,5)L(a,6)[E[tx,a]=if_then_else(a<3&tx>0,D[a,tx],a);];"
                 "B(tx,5)L(c,6)?{c<3}[F[tx]=F[tx]+D[c,tx];];");
}

TEST(RangeCut, RoundsThatAreSkippedAsAWhole) {
  expect_rewrite(
      "range_cut", R"(
@input A f32[8,8]
@output D f32[8]
B(bx,2)B(tx,4)L(k,4)L(c,2)?{k*2+c<=bx*4+tx}[D[bx*4+tx]=D[bx*4+tx]+A[bx*4+tx,k*2+c];];
)",
      R"({"at":"0:loop[2]","form":"blocks"})",
      "B(bx,2)B(tx,4)L(k,4)?{k*2<=bx*4+tx}[L(c,2)?{k*2+c<=bx*4+tx}[D[bx*4+tx]=D[bx*4+tx]+A[bx*4+tx,k*2+c];];];");
  // Threads stand inside: the block skips the round where the last of them would.
  expect_rewrite("range_cut", R"(
@input A f32[8,8]
@output D f32[8]
B(bx,2)L(k,4)B(tx,4)L(c,2)?{0<=bx*4+tx-(k*2+c)<3&c<9}[D[bx*4+tx]=D[bx*4+tx]+A[bx*4+tx,k*2+c];];
)",
                 R"({"at":"0:loop[1]","form":"blocks"})",
                 "B(bx,2)L(k,4)?{0<=bx*4-k*2+3&bx*4-k*2-1<3}[B(tx,4)L(c,2)?{0<=bx*4+tx-(k*2+c)<3&c<9}"
                 "[D[bx*4+tx]=D[bx*4+tx]+A[bx*4+tx,k*2+c];];];");
}

TEST(RangeCut, NotNeeded) {
  const auto refused = [](std::string_view nests, std::string_view why) {
    expect_refusal("range_cut",
                   "@input A f32[6,6]\n@output E f32[6,6]\n@output F f32[6,6]\n" + std::string(nests) + "\n",
                   R"({"at":"0/0","form":"needed"})", why);
  };
  const std::string copy = "B(tx,6)L(a,6)[F[tx,a]=A[tx,a];];";
  refused("B(tx,6)L(a,6)[D[tx,a]=A[tx,a];];B(tx,6)L(a,6)[E[tx,a]=D[tx,a];];" + copy, "under-condition");
  refused("B(tx,6)L(a,6)[E[tx,a]=A[tx,a];];" + copy, "under-condition");
  // One of two reads is under another condition; one under none; one where the condition fails.
  refused(
      "B(tx,6)L(a,6)[D[tx,a]=A[tx,a];];B(tx,6)L(a,6)[E[tx,a]=if_then_else(a<=tx,D[tx,a],0);"
      "F[tx,a]=if_then_else(a<tx,D[tx,a],0);];",
      "under-condition");
  refused("B(tx,6)L(a,6)[D[tx,a]=A[tx,a];];B(tx,6)L(a,6)[E[tx,a]=if_then_else(a<=tx,D[tx,a],0);F[tx,a]=D[tx,a];];",
          "under-condition");
  refused("B(tx,6)L(a,6)[D[tx,a]=A[tx,a];];B(tx,6)L(a,6)[E[tx,a]=if_then_else(a<=tx,0,D[tx,a]);];" + copy,
          "under-condition");
  // The element that is read is another than the condition is about.
  refused("B(tx,6)L(a,6)[D[tx,a]=A[tx,a];];B(tx,6)L(a,6)[E[tx,a]=if_then_else(a<5,D[tx,a+1],0);];" + copy,
          "under-condition");
  refused("B(tx,6)L(a,6)[D[tx,a]=A[tx,a];];B(tx,6)L(a,6)L(c,6)[E[tx,a]=if_then_else(c<=tx,D[tx,a],0);];" + copy,
          "under-condition");
  refused("B(tx,6)L(a,6)?{a<=tx}[D[tx,a]=A[tx,a];];B(tx,6)L(a,6)[E[tx,a]=if_then_else(a<=tx,D[tx,a],0);];" + copy,
          "alone");
  refused("B(tx,6)L(a,6)[D[tx,a]=A[tx,a];F[tx,a]=0;];B(tx,6)L(a,6)[E[tx,a]=if_then_else(a<=tx,D[tx,a],0);];", "alone");
  refused("B(tx,6)L(a,6)[D[a,a]=A[tx,a];];B(tx,6)L(a,6)[E[tx,a]=if_then_else(a<=tx,D[a,a],0);];" + copy,
          "under-condition");
}

TEST(RangeCut, WhatAddsNothing) {
  const auto cut = [](std::string_view before, std::string_view after) {
    expect_rewrite("range_cut", concat("@input A f32[6]\n@output D f32[6]\n", before), R"({"at":"0/0","form":"neutral"})",
                   after);
  };
  cut("B(tx,6)L(a,6)[D[tx]=D[tx]+if_then_else(a<=tx,A[a],0);];", "B(tx,6)L(a,6)?{a<=tx}[D[tx]=D[tx]+A[a];];");
  cut("B(tx,6)L(a,6)[D[tx]=if_then_else(a>=tx&a<7,A[a],1)*D[tx];];",
      "B(tx,6)L(a,6)?{a>=tx&a<7}[D[tx]=A[a]*D[tx];];");
  cut("B(tx,6)L(a,6)[D[tx]=max(D[tx],if_then_else(a<=tx,A[a],-inf));];",
      "B(tx,6)L(a,6)?{a<=tx}[D[tx]=max(D[tx],A[a]);];");
  cut("B(tx,6)L(a,6)[D[tx]=min(if_then_else(a<=tx,A[a],inf),D[tx]);];",
      "B(tx,6)L(a,6)?{a<=tx}[D[tx]=min(A[a],D[tx]);];");
}

TEST(RangeCut, WhatMayAddSomething) {
  const auto refused = [](std::string_view nests, std::string_view why) {
    expect_refusal("range_cut", "@input A f32[6]\n@output D f32[6]\n" + std::string(nests) + "\n",
                   R"({"at":"0/0","form":"neutral"})", why);
  };
  refused("B(tx,6)L(a,6)[D[tx]=D[tx]+if_then_else(a<=tx,A[a],1);];", "adds-nothing");
  refused("B(tx,6)L(a,6)[D[tx]=D[tx]*if_then_else(a<=tx,A[a],0);];", "adds-nothing");
  refused("B(tx,6)L(a,6)[D[tx]=max(D[tx],if_then_else(a<=tx,A[a],0));];", "adds-nothing");
  refused("B(tx,6)L(a,6)[D[tx]=max(D[tx],if_then_else(a<=tx,A[a],inf));];", "adds-nothing");
  refused("B(tx,6)L(a,6)[D[tx]=min(D[tx],if_then_else(a<=tx,A[a],-inf));];", "adds-nothing");
  refused("B(tx,6)L(a,6)[D[tx]=D[tx]+if_then_else(a<=tx,0,A[a]);];", "adds-nothing");
  refused("B(tx,6)L(a,6)[D[tx]=D[tx]+if_then_else(A[a]>0,A[a],0);];", "adds-nothing");
  refused("B(tx,6)L(a,6)[D[tx]=D[tx]+2*if_then_else(a<=tx,A[a],0);];", "adds-nothing");
  refused("B(tx,6)L(a,6)[D[tx]=D[tx]-if_then_else(a<=tx,A[a],0);];", "adds-nothing");
  refused("B(tx,6)[D[tx]=if_then_else(tx<4,A[tx],0);];", "adds-nothing");
  // The first element would have no term any more, and no value; the last neither.
  refused("B(tx,6)L(a,6)[D[tx]=D[tx]+if_then_else(a<tx,A[a],0);];", "adds-nothing");
  refused("B(tx,6)L(a,6)[D[tx]=D[tx]+if_then_else(a>tx,A[a],0);];", "adds-nothing");
  refused("B(tx,6)L(a,6)?{a<5}[D[tx]=D[tx]+if_then_else(a<=tx,A[a],0);];", "alone");
  refused("B(tx,6)L(a,6)[D[tx]=D[tx]+if_then_else(a<=tx,A[a],0);E[tx]=2;];", "alone");
}

// Each thread has a sum of its own, of which the first would have no term.
TEST(RangeCut, WhatAddsNothingToTheSumOfOneThread) {
  expect_refusal("range_cut", R"(
@input A f32[6]
@output D f32[6]
B(tx,6)[L(a,6)[E:l[]=E:l[]+if_then_else(a<tx,A[a],0);];D[tx]=E:l[];];
)",
                 R"({"at":"0/0/0","form":"neutral"})", "adds-nothing");
}

TEST(RangeCut, NoBlocks) {
  const auto refused = [](std::string_view nests, std::string_view at, std::string_view why) {
    expect_refusal("range_cut", "@input A f32[8,8]\n@output D f32[8,8]\n" + std::string(nests) + "\n",
                   R"({"at":")" + std::string(at) + R"(","form":"blocks"})", why);
  };
  refused("B(tx,8)L(a,8)[D[tx,a]=A[tx,a];];", "0:loop[0]", "cuts-blocks");
  refused("B(tx,8)L(a,8)?{a<=tx}[D[tx,a]=A[tx,a];];", "0:loop[1]", "cuts-blocks");
  // The weakest form never fails; the guard is about the loops inside only, or not linear in them.
  refused("B(tx,8)L(a,8)?{a<=tx}[D[tx,a]=A[tx,a];];", "0:loop[0]", "cuts-blocks");
  refused("B(tx,8)L(a,8)?{a<6}[D[tx,a]=A[tx,a];];", "0:loop[0]", "cuts-blocks");
  refused("B(tx,8)L(a,8)?{a*tx<6}[D[tx,a]=A[tx,a];];", "0:loop[0]", "cuts-blocks");
  refused("B(tx,8)L(a,8)?{a//2+4<tx}[D[tx,a]=A[tx,a];];", "0:loop[0]", "cuts-blocks");
  refused("L(c,8)B(tx,8)?{tx+4<c}[D[c,tx]=A[c,tx];];", "0:loop[0]", "one-kernel");
}

}  // namespace
}  // namespace steptp::testing
