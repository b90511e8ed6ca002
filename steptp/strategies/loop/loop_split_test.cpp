#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kMatmul = R"(
@input A f32[8,4]
@input C f32[4,6]
@output D f32[8,6]
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)";

TEST(LoopSplit, OutputLoop) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":3,"kind":"inner"})",
                 "B(tx,8)L(g,2)L(a,3)L(c,4)[D[tx,g*3+a]=D[tx,g*3+a]+A[tx,c]*C[c,g*3+a];];");
}

TEST(LoopSplit, ReductionLoop) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[2]","inner":2,"kind":"inner"})",
                 "B(tx,8)L(a,6)L(g,2)L(c,2)[D[tx,a]=D[tx,a]+A[tx,g*2+c]*C[g*2+c,a];];");
}

TEST(LoopSplit, TheKindGoesInOrOut) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[0]","inner":4,"kind":"inner"})",
                 "L(g,2)B(tx,4)L(a,6)L(c,4)[D[g*4+tx,a]=D[g*4+tx,a]+A[g*4+tx,c]*C[c,a];];");
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[0]","inner":4,"kind":"outer"})",
                 "B(tx,2)L(g,4)L(a,6)L(c,4)[D[tx*4+g,a]=D[tx*4+g,a]+A[tx*4+g,c]*C[c,a];];");
}

TEST(LoopSplit, GuardedTail) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":4,"kind":"inner"})",
                 "B(tx,8)L(g,2)L(a,4)L(c,4)?{g*4+a<6}[D[tx,g*4+a]=D[tx,g*4+a]+A[tx,c]*C[c,g*4+a];];");
}

TEST(LoopSplit, MainPartAndRest) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":4,"kind":"rest"})",
                 "B(tx,8)[L(g,1)L(a,4)L(c,4)[D[tx,g*4+a]=D[tx,g*4+a]+A[tx,c]*C[c,g*4+a];];"
                 "L(a,2)L(c,4)[D[tx,a+4]=D[tx,a+4]+A[tx,c]*C[c,a+4];];];");
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[2]","inner":3,"kind":"rest"})",
                 "B(tx,8)L(a,6)[L(g,1)L(c,3)[D[tx,a]=D[tx,a]+A[tx,g*3+c]*C[g*3+c,a];];"
                 "L(c,1)[D[tx,a]=D[tx,a]+A[tx,c+3]*C[c+3,a];];];");
}

// The loop that is split is the first: two expressions, and guards and inner nests go with both.
TEST(LoopSplit, RestOfAnExpression) {
  expect_rewrite(
      "loop_split", R"(
@input A f32[7,6]
@output D f32[7,6]
L(a,7)L(c,6)?{a+c<9}[D[a,c]=A[a,c]*a;L(d,1)?{c<5}[D[a,c]=D[a,c]+1;];];L(a,7)L(c,6)?{a+c>=9}[D[a,c]=2;];
)",
      R"({"at":"0:loop[0]","inner":3,"kind":"rest"})",
      "L(f,2)L(a,3)L(c,6)?{f*3+a+c<9}[D[f*3+a,c]=A[f*3+a,c]*(f*3+a);L(d,1)?{c<5}[D[f*3+a,c]=D[f*3+a,c]+1;];];"
      "L(a,1)L(c,6)?{a+c+6<9}[D[a+6,c]=A[a+6,c]*(a+6);L(d,1)?{c<5}[D[a+6,c]=D[a+6,c]+1;];];"
      "L(a,7)L(c,6)?{a+c>=9}[D[a,c]=2;];");
}

// A recurrence runs on from the main part into the rest.
TEST(LoopSplit, RestOfARecurrence) {
  expect_rewrite("loop_split", R"(
@input A f32[8,7]
@output D f32[8,7]
B(tx,8)L(a,7)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);];
)",
                 R"({"at":"0:loop[1]","inner":3,"kind":"rest"})",
                 "B(tx,8)[L(f,2)L(a,3)[D[tx,f*3+a]=max(if_then_else(f*3+a-1<0,-inf,D[tx,f*3+a-1]),A[tx,f*3+a]);];"
                 "L(a,1)[D[tx,a+6]=max(if_then_else(a+5<0,-inf,D[tx,a+5]),A[tx,a+6]);];];");
}

TEST(LoopSplit, RestsThatAreRefused) {
  const auto refused = [](std::string_view program, std::string_view at, int inner, std::string_view why) {
    expect_refusal("loop_split", program,
                   R"({"at":")" + std::string(at) + R"(","inner":)" + std::to_string(inner) + R"(,"kind":"rest"})",
                   why);
  };
  refused(kMatmul, "0:loop[1]", 3, "divides");
  refused(kMatmul, "0:loop[1]", 1, "divides");
  refused(kMatmul, "0:loop[0]", 3, "kind");
  // Both nests would add to D[a] while the threads run.
  refused("@input A f32[8,6]\n@output D f32[6]\nB(tx,8)L(a,6)[D[a]=D[a]+A[tx,a];];\n", "0:loop[1]", 4,
          "reduced-together");
  // E lives in the kernel, which is one item under B(bx), or one thread.
  refused("@input A f32[5,4]\n@output D f32[5,4]\nL(a,5)B(bx,4)[E:s[]=A[a,bx];D[a,bx]=E:s[];];\n", "0:loop[0]", 2,
          "scopes");
  refused("@input A f32[5]\n@output D f32[5]\nL(a,5)[E:l[a]=A[a];D[a]=E:l[a];];\n", "0:loop[0]", 2, "scopes");
  refused("@input A f32[2,5,4]\n@output D f32[2,5,4]\nB(by,2)L(a,5)B(bx,4)[D[by,a,bx]=A[by,a,bx];];\n", "0:loop[1]", 2,
          "scopes");
}

TEST(LoopSplit, RestsAreExtendedChoices) {
  std::size_t rests = 0;
  for (const std::string& choice : listed("loop_split", kMatmul, true)) {
    rests += choice.find("rest") == std::string::npos ? 0 : 1;
  }
  EXPECT_EQ(rests, 2U + 1U);  // 6 by 4 and 5, 4 by 3
}

TEST(LoopSplit, UnitLoop) {
  expect_rewrite("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":1,"kind":"inner"})",
                 "B(tx,8)L(g,6)L(a,1)L(c,4)[D[tx,g+a]=D[tx,g+a]+A[tx,c]*C[c,g+a];];");
}

// Threads along ty add to one element. With a rest two equations would, and no barrier stands between them inside of a
// loop over other threads; between blocks one does.
TEST(LoopSplit, ARestIsNoSecondEquationOfACollective) {
  constexpr std::string_view kTensors = "@input A f32[4,5,8]\n@output D f32[4]\n";
  constexpr std::string_view kRest = R"({"at":"0:loop[1]","inner":2,"kind":"rest"})";
  for (const std::string_view nest :
       {"B(tx,4)L(a,5)B(ty,8)[D[tx]=D[tx]+A[tx,a,ty];];", "B(tx,4)L(a,5)B(ty,8)?{ty<7}[D[tx]=max(D[tx],A[tx,a,ty]);];",
        "P(p,4)L(a,5)L(c,8)[D[p//2]=D[p//2]+A[p,a,c];];", "B(tx,4)L(a,5)B(ty,8)[D[tx]=A[tx,0,0];];"}) {
    expect_refusal("loop_split", concat(kTensors, nest), kRest, "reduced-together");
  }
  expect_rewrite(
      "loop_split", concat(kTensors, "B(bx,4)L(a,5)B(ty,8)[D[bx]=D[bx]+A[bx,a,ty];];"), kRest,
      "B(bx,4)[L(f,2)L(a,2)B(ty,8)[D[bx]=D[bx]+A[bx,f*2+a,ty];];L(a,1)B(ty,8)[D[bx]=D[bx]+A[bx,a+4,ty];];];");
}

TEST(LoopSplit, BareIndexValuesGuardsAndNestedBodies) {
  expect_rewrite("loop_split", R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(a,6)?{a<6}[E:l[]=A[tx,a]*a;L(c,2)[E:l[]=E:l[]+a+c;];D[tx,a]=if_then_else(a<3,E:l[],-a);];
)",
                 R"({"at":"0:loop[1]","inner":2,"kind":"inner"})",
                 "B(tx,8)L(f,3)L(a,2)?{f*2+a<6}[E:l[]=A[tx,f*2+a]*(f*2+a);L(c,2)[E:l[]=E:l[]+(f*2+a)+c;];"
                 "D[tx,f*2+a]=if_then_else(f*2+a<3,E:l[],-(f*2+a));];");
}

TEST(LoopSplit, QuotientsAreResolved) {
  expect_rewrite("loop_split", R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(f,6)[D[tx,f]=A[tx,f//2*2+f%2];];
)",
                 R"({"at":"0:loop[1]","inner":2,"kind":"inner"})", "B(tx,8)L(a,3)L(f,2)[D[tx,a*2+f]=A[tx,a*2+f];];");
}

TEST(LoopSplit, Choices) {
  EXPECT_EQ(listed("loop_split", kMatmul, false).size(), 2U + 2U + 2U + 1U);
  EXPECT_EQ(listed("loop_split", kMatmul, false)[0], R"({"at":"0:loop[0]","inner":2,"kind":"inner"})");
}

// The register E is handed from one thread loop to the other: splitting one of them alone changes whose it is.
constexpr std::string_view kSiblings = R"(
@input A f32[4,8]
@output D f32[4,8]
B(bx,4)[B(tx,8)[E:l[]=A[bx,tx];];B(tx,8)[D[bx,tx]=E:l[];];];
)";

TEST(LoopSplit, RefusesToPartSiblings) {
  expect_refusal("loop_split", kSiblings, R"({"at":"0/0:loop[0]","inner":4,"kind":"inner"})", "scopes");
  expect_refusal("loop_split", kSiblings, R"({"at":"0/1:loop[0]","inner":4,"kind":"outer"})", "scopes");
}

TEST(LoopSplit, ARegisterMayBeSplitWithItsThread) {
  expect_rewrite("loop_split", R"(
@input A f32[4,8]
@output D f32[4,8]
B(bx,4)B(tx,8)[E:l[]=A[bx,tx];D[bx,tx]=E:l[];];
)",
                 R"({"at":"0:loop[1]","inner":4,"kind":"outer"})",
                 "B(bx,4)B(tx,2)L(a,4)[E:l[]=A[bx,tx*4+a];D[bx,tx*4+a]=E:l[];];");
}

TEST(LoopSplit, Refusals) {
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":7,"kind":"inner"})", "divides");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":0,"kind":"inner"})", "divides");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":2,"kind":"outer"})", "kind");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":2,"kind":"both"})", "choice");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":2})", "choice");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":"2","kind":"inner"})", "choice");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[1]","inner":2,"kind":"inner","by":3})", "choice");
  expect_refusal("loop_split", kMatmul, R"({"at":"0:loop[7]","inner":2,"kind":"inner"})", "place");
  expect_refusal("loop_split", kMatmul, R"({"at":"1:loop[0]","inner":2,"kind":"inner"})", "place");
}

TEST(LoopSplit, VStaysInnermost) {
  constexpr std::string_view kVector = R"(
@input A f32[8,4]
@output D f32[8,4]
B(tx,8)V(a,4)[D[tx,a]=A[tx,a];];
)";
  expect_refusal("loop_split", kVector, R"({"at":"0:loop[1]","inner":2,"kind":"outer"})", "kind");
  expect_refusal("loop_split", kVector, R"({"at":"0:loop[1]","inner":3,"kind":"inner"})", "kind");
}

TEST(LoopSplit, RefusesSubscriptsThatDoNotFit) {
  expect_refusal("loop_split", R"(
@input A f32[4]
@output D f32[4]
L(a,4)[D[a]=A[a*4611686018427387904%3];];
)",
                 R"({"at":"0:loop[0]","inner":2,"kind":"inner"})", "subscripts-fit");
}

}  // namespace
}  // namespace steptp::testing
