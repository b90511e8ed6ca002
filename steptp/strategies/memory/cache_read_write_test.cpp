#include <gtest/gtest.h>

#include <algorithm>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

std::string choice(std::string_view at, std::string_view direction, std::string_view of, std::string_view scope,
                   std::string_view form = "plain") {
  return concat(R"({"at":")", at, R"(","direction":")", direction, R"(","of":")", of, R"(","scope":")", scope,
                R"(","form":")", form, "\"}");
}
void expect_cached(std::string_view before, const std::string& chosen, std::string_view after) {
  expect_rewrite("cache_read_write", before, chosen, after);
}
void expect_refused(std::string_view before, const std::string& chosen, std::string_view precondition) {
  expect_refusal("cache_read_write", before, chosen, precondition);
}

constexpr std::string_view kMatmul = R"(
@input A f32[8,4]
@input C f32[4,6]
@output D f32[8,6]
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)";

TEST(CacheReadWrite, ReadIntoRegisters) {
  expect_cached(kMatmul, choice("0:loop[0]", "read", "A", "l"),
                "B(tx,8)[L(c,4)[E:l[c]=A[tx,c];];L(a,6)L(c,4)[D[tx,a]=D[tx,a]+E:l[c]*C[c,a];];];");
  expect_cached(kMatmul, choice("0:loop[2]", "read", "A", "l"),
                "B(tx,8)L(a,6)L(c,4)[E:l[]=A[tx,c];D[tx,a]=D[tx,a]+E:l[]*C[c,a];];");
}

TEST(CacheReadWrite, WriteThroughARegister) {
  expect_cached(kMatmul, choice("0:loop[1]", "write", "D", "l"),
                "B(tx,8)L(a,6)[E:l[]=0;L(c,4)[E:l[]=E:l[]+A[tx,c]*C[c,a];];D[tx,a]=E:l[];];");
  expect_cached(kMatmul, choice("0:loop[0]", "write", "D", "l"),
                "B(tx,8)[L(a,6)L(c,4)[E:l[a]=E:l[a]+A[tx,c]*C[c,a];];L(a,6)[D[tx,a]=E:l[a];];];");
}

constexpr std::string_view kTiled = R"(
@input A f32[32,4]
@input C f32[4,6]
@output D f32[32,6]
B(bx,4)B(tx,8)L(a,6)L(c,4)[D[bx*8+tx,a]=D[bx*8+tx,a]+A[bx*8+tx,c]*C[c,a];];
)";

TEST(CacheReadWrite, ReadIntoSharedMemory) {
  expect_cached(kTiled, choice("0:loop[0]", "read", "C", "s"),
                "B(bx,4)[L(c,4)L(a,6)[E:s[c,a]=C[c,a];];"
                "B(tx,8)L(a,6)L(c,4)[D[bx*8+tx,a]=D[bx*8+tx,a]+A[bx*8+tx,c]*E:s[c,a];];];");
  expect_cached(kTiled, choice("0:loop[0]", "read", "A", "s"),
                "B(bx,4)[L(f,8)L(c,4)[E:s[f,c]=A[bx*8+f,c];];"
                "B(tx,8)L(a,6)L(c,4)[D[bx*8+tx,a]=D[bx*8+tx,a]+E:s[tx,c]*C[c,a];];];");
}

constexpr std::string_view kRounds = R"(
@input A f32[4,24]
@output D f32[4,8]
B(bx,4)L(k,3)B(tx,8)[D[bx,tx]=D[bx,tx]+A[bx,k*8+7-tx];];
)";

std::string deep(std::string chosen, int depth) {
  chosen.pop_back();
  return concat(chosen, ",\"depth\":", depth, "}");
}

TEST(CacheReadWrite, WithRoomForSeveralRounds) {
  for (const int depth : {2, 3, 5}) {
    expect_cached(kRounds, deep(choice("0:loop[1]", "read", "A", "s"), depth),
                  concat("B(bx,4)L(k,3)[L(f,8)[E:s", depth, "[f]=A[bx,k*8+f];];B(tx,8)[D[bx,tx]=D[bx,tx]+E:s", depth,
                         "[7-tx];];];"));
  }
  expect_cached(kRounds, deep(choice("0:loop[1]", "read", "A", "s"), 1),
                "B(bx,4)L(k,3)[L(f,8)[E:s[f]=A[bx,k*8+f];];B(tx,8)[D[bx,tx]=D[bx,tx]+E:s[7-tx];];];");
}

TEST(CacheReadWrite, ADepthIsOfRounds) {
  expect_refused(kRounds, deep(choice("0:loop[1]", "read", "A", "s"), 6), "depth");
  expect_refused(kRounds, deep(choice("0:loop[1]", "read", "A", "s"), 0), "depth");
  expect_refused(kRounds, deep(choice("0:loop[1]", "read", "A", "l"), 2), "depth");
  expect_refused(kRounds, deep(choice("0:loop[1]", "read", "A", "s", "ahead"), 2), "depth");
  expect_refused(kRounds, deep(choice("0:loop[1]", "write", "D", "s"), 2), "depth");
  // Blocks have no rounds.
  expect_refused(kRounds, deep(choice("0:loop[0]", "read", "A", "s"), 2), "depth");
}

TEST(CacheReadWrite, ACopyInRegistersRepeatsTheThreadLoops) {
  expect_cached(kTiled, choice("0:loop[0]", "read", "A", "l"),
                "B(bx,4)[B(tx,8)L(c,4)[E:l[c]=A[bx*8+tx,c];];"
                "B(tx,8)L(a,6)L(c,4)[D[bx*8+tx,a]=D[bx*8+tx,a]+E:l[c]*C[c,a];];];");
  expect_cached(kTiled, choice("0:loop[0]", "write", "D", "l"),
                "B(bx,4)[B(tx,8)L(a,6)L(c,4)[E:l[a]=E:l[a]+A[bx*8+tx,c]*C[c,a];];"
                "B(tx,8)L(a,6)[D[bx*8+tx,a]=E:l[a];];];");
}

TEST(CacheReadWrite, ThreadLoopsMayHaveSeveralNames) {
  constexpr std::string_view kNames = R"(
@input A f32[4,8]
@output D f32[4,8]
@output E f32[4,8]
B(bx,4)[B(tx,8)[D[bx,tx]=A[bx,tx]*2;];B(txa,8)[E[bx,txa]=A[bx,txa]+D[bx,txa];];];
)";
  expect_cached(kNames, choice("0:loop[0]", "read", "A", "l"),
                "B(bx,4)[B(tx,8)[F:l[]=A[bx,tx];];B(tx,8)[D[bx,tx]=F:l[]*2;];B(txa,8)[E[bx,txa]=F:l[]+D[bx,txa];];];");
  expect_cached(kNames, choice("0:loop[0]", "write", "D", "l"),
                "B(bx,4)[B(tx,8)[F:l[]=A[bx,tx]*2;];B(txa,8)[E[bx,txa]=A[bx,txa]+F:l[];];B(tx,8)[D[bx,tx]=F:l[];];];");
}

TEST(CacheReadWrite, WriteThroughSharedMemory) {
  expect_cached(kTiled, choice("0:loop[0]", "write", "D", "s"),
                "B(bx,4)[B(tx,8)L(a,6)L(c,4)[E:s[tx,a]=E:s[tx,a]+A[bx*8+tx,c]*C[c,a];];"
                "L(f,8)L(a,6)[D[bx*8+f,a]=E:s[f,a];];];");
}

TEST(CacheReadWrite, WindowsShareOneDimension) {
  expect_cached(R"(
@input A f32[10]
@input C f32[3]
@output D f32[8]
B(bx,2)B(tx,4)L(g,3)[D[bx*4+tx]=D[bx*4+tx]+A[bx*4+tx+g]*C[g];];
)",
                choice("0:loop[0]", "read", "A", "s"),
                "B(bx,2)[L(f,6)[E:s[f]=A[bx*4+f];];B(tx,4)L(g,3)[D[bx*4+tx]=D[bx*4+tx]+E:s[tx+g]*C[g];];];");
}

TEST(CacheReadWrite, StepsAndSeveralReads) {
  expect_cached(R"(
@input A f32[4,8]
@output D f32[4,4]
B(tx,4)L(a,4)[D[tx,a]=A[tx,a*2]*3;];
)",
                choice("0:loop[0]", "read", "A", "l"),
                "B(tx,4)[L(f,4)[E:l[f]=A[tx,f*2];];L(a,4)[D[tx,a]=E:l[a]*3;];];");
  expect_cached(R"(
@input A f32[4,8]
@output D f32[4,6]
B(tx,4)L(a,6)[D[tx,a]=A[tx,a]+A[tx,a+2];];
)",
                choice("0:loop[0]", "read", "A", "l"),
                "B(tx,4)[L(f,8)[E:l[f]=A[tx,f];];L(a,6)[D[tx,a]=E:l[a]+E:l[a+2];];];");
  expect_cached(R"(
@input A f32[4,2]
@output D f32[4,6]
B(tx,4)L(a,6)[D[tx,a]=A[tx,0]*a+A[tx,1];];
)",
                choice("0:loop[0]", "read", "A", "l"),
                "B(tx,4)[L(f,2)[E:l[f]=A[tx,f];];L(a,6)[D[tx,a]=E:l[0]*a+E:l[1];];];");
}

// Each thread has 2 x 3 of 12 columns: a copy of the hull would have 9 elements.
TEST(CacheReadWrite, ASumOfLoopsWithGapsHasADimensionForEach) {
  expect_cached(R"(
@input A f32[4,12]
@output D f32[4,12]
B(bx,4)B(tx,2)L(a,2)L(c,3)[D[bx,a*6+tx*3+c]=A[bx,a*6+tx*3+c]*2;];
)",
                choice("0:loop[1]", "read", "A", "l"),
                "B(bx,4)B(tx,2)[L(a,2)L(c,3)[E:l[a,c]=A[bx,a*6+tx*3+c];];"
                "L(a,2)L(c,3)[D[bx,a*6+tx*3+c]=E:l[a,c]*2;];];");
  expect_cached(R"(
@input A f32[4,12]
@output D f32[4,12]
B(bx,4)B(tx,2)L(a,2)L(c,3)[D[bx,a*6+tx*3+c]=A[bx,a*6+tx*3+c]*2;];
)",
                choice("0:loop[1]", "write", "D", "l"),
                "B(bx,4)B(tx,2)[L(a,2)L(c,3)[E:l[a,c]=A[bx,a*6+tx*3+c]*2;];"
                "L(a,2)L(c,3)[D[bx,a*6+tx*3+c]=E:l[a,c];];];");
}

TEST(CacheReadWrite, TheCopyStandsBeforeTheItemThatUsesIt) {
  expect_cached(R"(
@input A f32[8,6]
@input C f32[6]
@output D f32[8,6]
@output E f32[8]
B(tx,8)[E[tx]=A[tx,0];L(a,6)[D[tx,a]=C[a]*E[tx];];];
)",
                choice("0:loop[0]", "read", "C", "l"),
                "B(tx,8)[E[tx]=A[tx,0];L(a,6)[F:l[a]=C[a];];L(a,6)[D[tx,a]=F:l[a]*E[tx];];];");
}

TEST(CacheReadWrite, InitAndUpdateAreCachedTogether) {
  expect_cached(R"(
@input A f32[8,6,3]
@output D f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=1;L(c,3)[D[tx,a]=D[tx,a]*2+A[tx,a,c];];];
)",
                choice("0:loop[1]", "write", "D", "l"),
                "B(tx,8)L(a,6)[E:l[]=1;L(c,3)[E:l[]=E:l[]*2+A[tx,a,c];];D[tx,a]=E:l[];];");
}

// The read at a-1 stands behind a condition: the copy has no place for D_{-1}.
TEST(CacheReadWrite, PrefixReadsGoWithTheirTensor) {
  expect_cached(R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);];
)",
                choice("0:loop[0]", "write", "D", "l"),
                "B(tx,8)[L(a,6)[E:l[a]=max(if_then_else(a-1<0,-inf,E:l[a-1]),A[tx,a]);];"
                "L(a,6)[D[tx,a]=E:l[a];];];");
}

// Tiles that do not divide: what lies outside of the source is left out, or filled.
constexpr std::string_view kOdd = R"(
@input A f32[7,3]
@input C f32[3,5]
@output D f32[7,5]
B(bx,2)[L(k,2)B(tx,4)L(d,2)L(a,5)?{bx*4+tx<7&k*2+d<3}[I:l[a]=I:l[a]+A[bx*4+tx,k*2+d]*C[k*2+d,a];];
 B(tx,4)L(a,5)?{bx*4+tx<7}[D[bx*4+tx,a]=I:l[a];];];
)";

TEST(CacheReadWrite, GuardedCopies) {
  expect_cached(kOdd, choice("0/0:loop[0]", "read", "A", "s"),
                "B(bx,2)[L(k,2)[L(f,4)L(d,2)?{bx*4+f<7&k*2+d<3}[E:s[f,d]=A[bx*4+f,k*2+d];];"
                "B(tx,4)L(d,2)L(a,5)?{bx*4+tx<7&k*2+d<3}[I:l[a]=I:l[a]+E:s[tx,d]*C[k*2+d,a];];];"
                "B(tx,4)L(a,5)?{bx*4+tx<7}[D[bx*4+tx,a]=I:l[a];];];");
}

TEST(CacheReadWrite, FillKeepsTheGuardUntilEveryFactorIsFilled) {
  // The rows can go at once: nobody reads their accumulators. The reduction cannot: C is not filled.
  expect_cached(kOdd, choice("0/0:loop[0]", "read", "A", "s", "fill"),
                "B(bx,2)[L(k,2)[L(f,4)L(d,2)[E:s[f,d]=if_then_else(bx*4+f<7&k*2+d<3,A[bx*4+f,k*2+d],0);];"
                "B(tx,4)L(d,2)L(a,5)?{k*2+d<3}[I:l[a]=I:l[a]+E:s[tx,d]*C[k*2+d,a];];];"
                "B(tx,4)L(a,5)?{bx*4+tx<7}[D[bx*4+tx,a]=I:l[a];];];");
}

// C has a fourth row, which the guard leaves out: a factor that could be infinite, a term that is not zero.
TEST(CacheReadWrite, FillKeepsTheGuardOfWhatIsNotNeutral) {
  for (const std::string_view op : {"*", "+"}) {
    const std::string header = "@input A f32[8,3]\n@input C f32[4,5]\n@output D f32[8,5]\n";
    const std::string back = "B(tx,4)L(a,5)[D[bx*4+tx,a]=I:l[a];];];";
    expect_cached(concat(header, "B(bx,2)[L(k,2)B(tx,4)L(d,2)L(a,5)?{k*2+d<3}[I:l[a]=I:l[a]+A[bx*4+tx,k*2+d]", op,
                         "C[k*2+d,a];];", back, "\n"),
                  choice("0/0:loop[0]", "read", "A", "s", "fill"),
                  concat("B(bx,2)[L(k,2)[L(f,4)L(d,2)[E:s[f,d]=if_then_else(k*2+d<3,A[bx*4+f,k*2+d],0);];",
                         "B(tx,4)L(d,2)L(a,5)?{k*2+d<3}[I:l[a]=I:l[a]+E:s[tx,d]", op, "C[k*2+d,a];];];", back));
  }
}

TEST(CacheReadWrite, FillDropsTheGuardWhenEveryFactorIsFilled) {
  expect_cached(R"(
@input A f32[7,3]
@input C f32[3,5]
@output D f32[7,5]
B(bx,2)[L(k,2)[L(f,4)L(d,2)[E:s[f,d]=if_then_else(bx*4+f<7&k*2+d<3,A[bx*4+f,k*2+d],0);];
 B(tx,4)L(d,2)L(a,5)?{bx*4+tx<7&k*2+d<3}[I:l[a]=I:l[a]+E:s[tx,d]*C[k*2+d,a];];];
 B(tx,4)L(a,5)?{bx*4+tx<7}[D[bx*4+tx,a]=I:l[a];];];
)",
                choice("0/0:loop[0]", "read", "C", "s", "fill"),
                "B(bx,2)[L(k,2)[L(f,4)L(d,2)[E:s[f,d]=if_then_else(bx*4+f<7&k*2+d<3,A[bx*4+f,k*2+d],0);];"
                "L(d,2)L(a,5)[F:s[d,a]=if_then_else(k*2+d<3,C[k*2+d,a],0);];"
                "B(tx,4)L(d,2)L(a,5)[I:l[a]=I:l[a]+E:s[tx,d]*F:s[d,a];];];"
                "B(tx,4)L(a,5)?{bx*4+tx<7}[D[bx*4+tx,a]=I:l[a];];];");
}

// The accumulators that the guard leaves out are read: here they hold one more.
TEST(CacheReadWrite, FillKeepsAGuardWhoseAccumulatorsAreRead) {
  expect_cached(R"(
@input A f32[7,4]
@output D f32[8]
B(bx,2)[B(tx,4)[I:l[]=1;];B(tx,4)L(c,4)?{bx*4+tx<7}[I:l[]=I:l[]+exp(A[bx*4+tx,c]);];B(tx,4)[D[bx*4+tx]=I:l[];];];
)",
                choice("0:loop[0]", "read", "A", "s", "fill"),
                "B(bx,2)[B(tx,4)[I:l[]=1;];L(f,4)L(c,4)[E:s[f,c]=if_then_else(bx*4+f<7,A[bx*4+f,c],0);];"
                "B(tx,4)L(c,4)?{bx*4+tx<7}[I:l[]=I:l[]+exp(E:s[tx,c]);];B(tx,4)[D[bx*4+tx]=I:l[];];];");
}

TEST(CacheReadWrite, FillOfAMaximumIsMinusInfinity) {
  expect_cached(R"(
@input A f32[7,3]
@output D f32[7]
B(bx,2)[B(tx,4)L(d,3)?{bx*4+tx<7}[I:l[]=max(I:l[],A[bx*4+tx,d]);];B(tx,4)?{bx*4+tx<7}[D[bx*4+tx]=I:l[];];];
)",
                choice("0:loop[0]", "read", "A", "s", "fill"),
                "B(bx,2)[L(f,4)L(d,3)[E:s[f,d]=if_then_else(bx*4+f<7,A[bx*4+f,d],-inf);];"
                "B(tx,4)L(d,3)[I:l[]=max(I:l[],E:s[tx,d]);];B(tx,4)?{bx*4+tx<7}[D[bx*4+tx]=I:l[];];];");
}

TEST(CacheReadWrite, APaddedExpression) {
  expect_cached(R"(
@input A f32[8]
@input C f32[3]
@output D f32[8]
B(bx,2)B(tx,4)L(g,3)[D[bx*4+tx]=D[bx*4+tx]+if_then_else(1<=bx*4+tx+g<9,A[bx*4+tx+g-1],0)*C[g];];
)",
                choice("0:loop[0]", "read", "0/0:right.1.0", "s"),
                "B(bx,2)[L(f,6)[E:s[f]=if_then_else(1<=bx*4+f<9,A[bx*4+f-1],0);];"
                "B(tx,4)L(g,3)[D[bx*4+tx]=D[bx*4+tx]+E:s[tx+g]*C[g];];];");
}

TEST(CacheReadWrite, AWiderCopy) {
  constexpr std::string_view kHalf = R"(
@input A f16[8,4]
@output D f16[8]
B(tx,8)L(c,4)[D:f16[tx]=D:f16[tx]+A:f16[tx,c];];
)";
  expect_cached(kHalf, choice("0:loop[0]", "read", "A", "l", "wide"),
                "B(tx,8)[L(c,4)[E:f32,l[c]=A:f16[tx,c];];L(c,4)[D:f16[tx]=D:f16[tx]+E:f32,l[c];];];");
  expect_cached(kHalf, choice("0:loop[0]", "write", "D", "l", "wide"),
                "B(tx,8)[L(c,4)[E:f32,l[]=E:f32,l[]+A:f16[tx,c];];D:f16[tx]=E:f32,l[];];");
  expect_refused(kMatmul, choice("0:loop[0]", "read", "A", "l", "wide"), "form");
}

TEST(CacheReadWrite, ValuesThatAnOutputRoundsAreNotRoundedBefore) {
  constexpr std::string_view kRounded = R"(
@input A f32[8]
@output D f16[8]
B(tx,8)[D:f16[tx]=A[tx]*2;];
)";
  expect_refused(kRounded, choice("0:loop[0]", "write", "D", "l"), "form");
  expect_cached(kRounded, choice("0:loop[0]", "write", "D", "l", "wide"),
                "B(tx,8)[E:f32,l[]=A[tx]*2;D:f16[tx]=E:f32,l[];];");
}

TEST(CacheReadWrite, Ahead) {
  expect_cached(R"(
@input A f32[8,12]
@output D f32[8]
B(bx,2)L(k,3)B(tx,4)L(d,4)[D[bx*4+tx]=D[bx*4+tx]+A[bx*4+tx,k*4+d];];
)",
                choice("0:loop[1]", "read", "A", "s", "ahead"),
                "B(bx,2)[L(f,4)L(d,4)[E:s[0,f,d]=A[bx*4+f,d];];"
                "L(k,3)[L(f,4)L(d,4)?{k+1<3}[E:s[(k+1)%2,f,d]=A[bx*4+f,(k+1)*4+d];];"
                "B(tx,4)L(d,4)[D[bx*4+tx]=D[bx*4+tx]+E:s[k%2,tx,d];];];];");
  expect_refused(kTiled, choice("0:loop[0]", "read", "C", "s", "ahead"), "form");
}

TEST(CacheReadWrite, Refusals) {
  expect_refused(kMatmul, choice("0:loop[0]", "read", "X", "l"), "uses");
  expect_refused(kMatmul, choice("0:loop[0]", "write", "A", "l"), "uses");
  expect_refused(kMatmul, choice("0:loop[0]", "read", "D", "l"), "unchanged");
  expect_refused(kMatmul, choice("0:loop[0]", "read", "A", "s"), "placement");
  expect_refused(kMatmul, choice("0:loop[0]", "read", "A", "l", "fill"), "form");
  expect_refused(kMatmul, choice("0:loop[0]", "write", "D", "l", "fill"), "form");
  expect_refused(kMatmul, choice("0:loop[0]", "read", "A", "g"), "choice");
  expect_refused(kMatmul, choice("0:loop[0]", "fetch", "A", "l"), "choice");
  expect_refused(kMatmul, choice("0:loop[0]", "read", "A", "l", "odd"), "choice");
  expect_refused(kMatmul, choice("0:loop[5]", "read", "A", "l"), "place");
  // The level is inside the reduction: each round would start from nothing.
  expect_refused(kMatmul, choice("0:loop[2]", "write", "D", "l"), "whole");
}

// Beside the copy a block loop would not enclose its kernel; a loop around a launch is in no kernel.
TEST(CacheReadWrite, CopyAndUsesStandInOneKernel) {
  expect_refused(R"(
@input A f32[2,3,8]
@output D f32[2,3,8]
B(by,2)B(bx,3)B(tx,8)[D[by,bx,tx]=A[by,bx,7-tx];];
)",
                 choice("0:loop[0]", "read", "A", "s"), "placement");
  expect_refused(R"(
@input A f32[2,8]
@output D f32[2,8]
L(a,2)B(tx,8)[D[a,tx]=A[a,tx];];
)",
                 choice("0:loop[0]", "read", "A", "l"), "placement");
}

TEST(CacheReadWrite, AnAccumulatorWithAValueFromBefore) {
  expect_refused(R"(
@input A f32[8,4]
@output D f32[8]
B(tx,8)[D[tx]=3;];B(tx,8)L(c,4)[D[tx]=D[tx]+A[tx,c];];
)",
                 choice("1:loop[0]", "write", "D", "l"), "whole");
}

TEST(CacheReadWrite, RegistersOfOtherThreads) {
  expect_refused(R"(
@input A f32[4,8]
@output D f32[4]
B(bx,4)B(tx,8)[D[bx]=D[bx]+A[bx,tx];];
)",
                 choice("0:loop[0]", "write", "D", "l"), "whole");
}

TEST(CacheReadWrite, DataOfOneThreadIsNotShared) {
  constexpr std::string_view kRegister = R"(
@input A f32[4,8]
@output D f32[4,8]
B(bx,4)[B(tx,8)[E:l[]=A[bx,tx];];B(tx,8)[D[bx,tx]=E:l[];];];
)";
  expect_refused(kRegister, choice("0:loop[0]", "write", "E", "s"), "placement");
}

TEST(CacheReadWrite, WhatStandsStillIsTheSameForAllUses) {
  expect_refused(R"(
@input A f32[8]
@output D f32[8,8]
B(tx,8)L(a,8)[D[tx,a]=A[tx]*A[a];];
)",
                 choice("0:loop[0]", "read", "A", "l"), "footprint");
}

// The hull of 0, 1, 5 and 6 has elements that nobody wrote.
TEST(CacheReadWrite, ElementsWithoutAValue) {
  expect_refused(R"(
@input A f32[4]
@output D f32[4]
B(tx,2)[E[tx]=A[tx];];B(tx,2)[E[tx+5]=A[tx+2];];B(tx,1)L(a,4)[D[a]=E[a//2*5+a%2];];
)",
                 choice("2:loop[0]", "read", "E", "l"), "covered");
}

TEST(CacheReadWrite, TooLarge) {
  expect_refused(R"(
@input A f32[8,512]
@output D f32[8]
B(tx,8)L(c,512)[D[tx]=D[tx]+A[tx,c];];
)",
                 choice("0:loop[0]", "read", "A", "l"), "size");
}

// A thread along ty that will be a unit keeps 32 times as much; one along tx is a lane already.
TEST(CacheReadWrite, WhatAUnitKeeps) {
  const auto sums = [](std::string_view axis) {
    return concat("\n@input A f32[4,512]\n@output D f32[4,512]\nB(", axis, ",4)L(a,2)L(c,512)[D[", axis, ",c]=D[", axis,
                  ",c]+A[", axis, ",c];];\n");
  };
  const auto with = [](std::int64_t lanes) {
    return concat(R"({"at":"0:loop[0]","direction":"write","of":"D","scope":"l","form":"plain","lanes":)", lanes, "}");
  };
  expect_rewrite("cache_read_write", sums("ty"), with(32),
                 "B(ty,4)[L(a,2)L(c,512)[E:l[c]=E:l[c]+A[ty,c];];L(c,512)[D[ty,c]=E:l[c];];];");
  expect_refused(sums("ty"), with(1), "size");
  expect_refused(sums("ty"), with(16), "lanes");
  expect_refused(sums("tx"), with(32), "lanes");
  const std::vector<std::string> all = listed("cache_read_write", sums("ty"), true);
  EXPECT_NE(std::find(all.begin(), all.end(), with(32)), all.end());
}

TEST(CacheReadWrite, IterationsOfAParallelLoopShareRegisters) {
  expect_refused(R"(
@input A f32[8,6,4]
@output D f32[8,6]
B(tx,8)P(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,a,c];];
)",
                 choice("0:loop[1]", "write", "D", "l"), "races");
}

// Queries and keys lie in one tensor: a read by its address is staged by itself.
TEST(CacheReadWrite, OneOfSeveralReads) {
  expect_cached(R"(
@input A f32[4,6]
@output D f32[4,4]
B(bx,2)B(tx,2)L(a,4)L(c,3)[D[bx*2+tx,a]=D[bx*2+tx,a]+A[bx*2+tx,c]*A[a,c+3];];
)",
                choice("0:loop[0]", "read", "0/0:right.1.1", "s"),
                "B(bx,2)[L(a,4)L(c,3)[E:s[a,c]=A[a,c+3];];"
                "B(tx,2)L(a,4)L(c,3)[D[bx*2+tx,a]=D[bx*2+tx,a]+A[bx*2+tx,c]*E:s[a,c];];];");
}

// A batch of one: some uses have its index as their subscript, and some have 0.
TEST(CacheReadWrite, LoopsThatRunOnce) {
  expect_cached(R"(
@input A f32[1,8]
@output D f32[1,8]
B(bx,1)B(tx,8)[E[bx,tx]=A[0,tx]*2;D[0,tx]=E[0,tx]+1;];
)",
                choice("0:loop[1]", "write", "E", "l"),
                "B(bx,1)B(tx,8)[F:l[]=A[0,tx]*2;D[0,tx]=F:l[]+1;E[bx,tx]=F:l[];];");
  expect_cached(R"(
@input A f32[1,8]
@output D f32[1,8]
B(bx,1)B(tx,8)[D[0,tx]=A[bx,tx]*A[0,tx];];
)",
                choice("0:loop[1]", "read", "A", "l"), "B(bx,1)B(tx,8)[E:l[]=A[0,tx];D[0,tx]=E:l[]*E:l[];];");
}

}  // namespace
}  // namespace steptp::testing
