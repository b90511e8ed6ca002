#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kRounds = R"(
@input A f32[2,4,8]
@output D f32[2,8]
B(bx,2)L(k,4)[B(tx,8)[E:s[tx]=A[bx,k,tx];];B(tx,8)[D[bx,tx]=D[bx,tx]+E:s[7-tx];];];
)";

std::string choice(std::string_view at, std::string_view of, int buffers) {
  return concat(R"({"at":")", at, R"(","of":")", of, R"(","buffers":)", buffers, "}");
}

TEST(Pipelining, TheNextRoundIsFetchedEarly) {
  expect_rewrite("pipelining", kRounds, choice("0:loop[1]", "E", 2),
                 "B(bx,2)[B(tx,8)[E:s[0,tx]=A[bx,0,tx];];L(k,4)[B(tx,8)?{k+1<4}[E:s[(k+1)%2,tx]=A[bx,k+1,tx];];"
                 "B(tx,8)[D[bx,tx]=D[bx,tx]+E:s[k%2,7-tx];];];];");
}

TEST(Pipelining, SeveralRoundsAreOnTheirWay) {
  expect_rewrite("pipelining", kRounds, choice("0:loop[1]", "E", 4),
                 "B(bx,2)[B(tx,8)[E:s[0,tx]=A[bx,0,tx];];B(tx,8)[E:s[1,tx]=A[bx,1,tx];];B(tx,8)[E:s[2,tx]=A[bx,2,tx];];"
                 "L(k,4)[B(tx,8)?{k+3<4}[E:s[(k+3)%4,tx]=A[bx,k+3,tx];];"
                 "B(tx,8)[D[bx,tx]=D[bx,tx]+E:s[k%4,7-tx];];];];");
}

// A filled copy in vectors, with a guard of its own behind it, and another tile beside it.
TEST(Pipelining, CopiesStayAsTheyAre) {
  expect_rewrite("pipelining", R"(
@input A f32[2,14]
@input C f32[14]
@output D f32[2]
B(bx,2)[L(k,4)[B(tx,2)V(c,2)[E:s[tx*2+c]=if_then_else(k*4+tx*2+c<14,A[bx,k*4+tx*2+c],0);];L(c,4)?{k*4+c<14}[F:s[c]=C[k*4+c];];B(tx,1)L(c,4)?{k*4+c<14}[D[bx]=D[bx]+E:s[c]*F:s[c];];];];
)",
                 choice("0/0:loop[0]", "E", 3),
                 "B(bx,2)[B(tx,2)V(c,2)[E:s[0,tx*2+c]=if_then_else(0*4+tx*2+c<14,A[bx,tx*2+c],0);];"
                 "B(tx,2)V(c,2)[E:s[1,tx*2+c]=if_then_else(1*4+tx*2+c<14,A[bx,4+tx*2+c],0);];"
                 "L(k,4)[B(tx,2)V(c,2)?{k+2<4}[E:s[(k+2)%3,tx*2+c]="
                 "if_then_else((k+2)*4+tx*2+c<14,A[bx,k*4+8+tx*2+c],0);];"
                 "L(c,4)?{k*4+c<14}[F:s[c]=C[k*4+c];];"
                 "B(tx,1)L(c,4)?{k*4+c<14}[D[bx]=D[bx]+E:s[k%3,c]*F:s[c];];];];");
}

TEST(Pipelining, OfOneThread) {
  expect_rewrite("pipelining", R"(
@input A f32[3,4]
@output D f32[3]
B(tx,3)L(k,4)[E:l[]=exp(A[tx,k]);D[tx]=D[tx]+E:l[];];
)",
                 choice("0:loop[1]", "E", 2),
                 "B(tx,3)[E:l[0]=exp(A[tx,0]);L(k,4)[L(a,1)?{k+1<4}[E:l[(k+1)%2]=exp(A[tx,k+1]);];"
                 "D[tx]=D[tx]+E:l[k%2];];];");
}

TEST(Pipelining, Refusals) {
  const auto refused = [](std::string_view nest, std::string_view at, int buffers, std::string_view why) {
    expect_refusal("pipelining",
                   "@input A f32[2,4,8]\n@output D f32[2,8]\n@output C f32[2,8]\n" + std::string(nest) + "\n",
                   choice(at, "E", buffers), why);
  };
  const std::string use = "B(tx,8)[D[bx,tx]=D[bx,tx]+E:s[7-tx];C[bx,tx]=1;];";
  const std::string copy = "B(tx,8)[E:s[tx]=A[bx,k,tx];];";
  const std::string rounds = concat("B(bx,2)L(k,4)[", copy, use, "];");
  refused(rounds, "0:loop[1]", 1, "rounds");
  refused(rounds, "0:loop[1]", 5, "rounds");
  refused(rounds, "0:loop[0]", 2, "rounds");
  refused(concat("B(bx,2)U(k,4)[", copy, use, "];"), "0:loop[1]", 2, "rounds");
  refused(concat("B(bx,2)L(k,4)?{k<3}[", copy, use, "];"), "0:loop[1]", 2, "rounds");
  refused(concat("B(bx,2)L(k,4)L(a,2)[", copy, use, "];"), "0:loop[1]", 2, "rounds");
  refused(concat("L(k,4)[B(bx,2)[", copy, use, "];];"), "0:loop[0]", 2, "rounds");
  refused("B(bx,2)L(k,4)[B(tx,8)[D[bx,tx]=A[bx,k,tx];C[bx,tx]=1;];];", "0:loop[1]", 2, "staged");
  refused(concat("B(bx,2)[B(tx,8)[E:s[tx]=0;];L(k,4)[", copy, use, "];];"), "0/1:loop[0]", 2, "staged");
  refused(concat("B(bx,2)[L(k,4)[", copy, use, "];B(tx,8)[D[bx,tx]=E:s[tx];];];"), "0/0:loop[0]", 2, "staged");
  refused(concat("B(bx,2)L(k,4)[", copy, copy, use, "];"), "0:loop[1]", 2, "copy");
  refused(concat("B(bx,2)L(k,4)[B(tx,8)[E:s[tx]=E:s[tx]+A[bx,k,tx];];", use, "];"), "0:loop[1]", 2, "copy");
  refused(concat("B(bx,2)L(k,4)[B(tx,8)[E:s[tx]=A[bx,k,tx];C[bx,tx]=2;];B(tx,8)[D[bx,tx]=E:s[tx];];];"), "0:loop[1]", 2,
          "copy");
  // What one thread has not copied in this round is of an earlier one.
  refused(concat("B(bx,2)L(k,4)[B(tx,8)?{tx<=k+4}[E:s[tx]=A[bx,k,tx];];", use, "];"), "0:loop[1]", 2, "own-round");
  refused(concat("B(bx,2)L(k,4)[B(tx,8)[E:s[tx]=A[bx,k,tx]+D[bx,tx];];", use, "];"), "0:loop[1]", 2, "unchanged");
  // Both blocks write one element.
  refused(concat("B(bx,2)L(k,4)[", copy, "B(tx,8)[D[0,tx]=E:s[7-tx]*bx;C[bx,tx]=1;];];"), "0:loop[1]", 2, "races");
  refused(concat("B(bx,2)L(k,4)[B(tx,8)[E:s[tx]=A[bx,k*4611686018427387904%4,tx];];", use, "];"), "0:loop[1]", 3,
          "subscripts-fit");
}

TEST(Pipelining, SeveralBuffersMayNotFit) {
  expect_refusal("pipelining", R"(
@input A f32[4,30000]
@output D f32[4,30000]
B(bx,1)L(k,4)[B(tx,1000)L(c,30)[E:s[tx*30+c]=A[k,tx*30+c];];B(tx,1000)L(c,30)[D[k,tx*30+c]=E:s[29999-tx*30-c];];];
)",
                 choice("0:loop[1]", "E", 2), "size");
}

}  // namespace
}  // namespace steptp::testing
