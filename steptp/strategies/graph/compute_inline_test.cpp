#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

void expect_inlined(std::string_view before, std::string_view after, std::string_view at = "0/0") {
  expect_rewrite("compute_inline", before, R"({"at":")" + std::string(at) + R"("})", after);
}
void expect_refused(std::string_view before, std::string_view why, std::string_view at = "0/0") {
  expect_refusal("compute_inline", before, R"({"at":")" + std::string(at) + R"("})", why);
}

TEST(ComputeInline, EveryUse) {
  expect_inlined(R"(
@input A f32[8,6]
@input C f32[6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]+C[a];];B(tx,8)L(a,6)[E[tx,a]=D[tx,a]*D[tx,a];];
)",
                 "B(tx,8)L(a,6)[E[tx,a]=(A[tx,a]+C[a])*(A[tx,a]+C[a]);];");
}

// The definition writes D at 2a+c+1: the read at e is solved for a and c.
TEST(ComputeInline, SubscriptsAreSolved) {
  expect_inlined(R"(
@input A f32[4,2]
@output E f32[8]
L(a,4)L(c,2)[D[a*2+c+1]=A[a,c]*a;];L(d,8)[E[7-d]=exp(D[d+1]);];
)",
                 "L(d,8)[E[7-d]=exp(A[d//2,d%2]*(d//2));];");
}

TEST(ComputeInline, SeveralReadersAndAGuardedRead) {
  expect_inlined(R"(
@input A f32[8]
@output E f32[10]
@output F f32
L(a,8)[D[a]=sqrt(A[a]);];L(c,10)[E[c]=if_then_else(1<=c<9,D[c-1],0);];L(a,8)[F[]=F[]+D[a];];
)",
                 "L(c,10)[E[c]=if_then_else(1<=c<9,sqrt(A[c-1]),0);];L(a,8)[F[]=F[]+sqrt(A[a]);];");
}

TEST(ComputeInline, InsideABody) {
  expect_inlined(R"(
@input A f32[8]
@output E f32[8]
B(tx,8)[D:l[]=A[tx]+1;E[tx]=D:l[]*2;];
)",
                 "B(tx,8)[E[tx]=(A[tx]+1)*2;];");
}

TEST(ComputeInline, RefusesWhatIsOverwritten) {
  expect_refused(R"(
@input A f32[8]
@output E f32[8]
@output F f32[8]
L(a,8)[E[a]=A[a];];L(a,8)[D[a]=E[a]*2;];L(a,8)[E[a]=A[a]+1;];L(a,8)[F[a]=D[a];];
)",
                 "unchanged", "1/0");
  expect_inlined(R"(
@input A f32[8]
@output E f32[16]
@output F f32[8]
L(a,8)[E[a]=A[a];];L(a,8)[D[a]=E[a]*2;];L(a,8)[E[a+8]=A[a]+1;];L(a,8)[F[a]=D[a];];
)",
                 "L(a,8)[E[a]=A[a];];L(a,8)[E[a+8]=A[a]+1;];L(a,8)[F[a]=E[a]*2;];", "1/0");
}

TEST(ComputeInline, RefusesAccumulatorsOutputsAndPartialWrites) {
  expect_refused("@input A f32[8,4]\n@output E f32[8]\nL(a,8)L(c,4)[D[a]=D[a]+A[a,c];];L(a,8)[E[a]=D[a];];\n",
                 "unchanged");
  expect_refused("@input A f32[8]\n@output D f32[8]\n@output E f32[8]\nL(a,8)[D[a]=A[a]*2;];L(a,8)[E[a]=D[a];];\n",
                 "unchanged");
  expect_refused("@input A f32[8]\n@output E f32[8]\nL(a,4)[D[a]=A[a];];L(a,4)[D[a+4]=A[a]*2;];L(a,8)[E[a]=D[a];];\n",
                 "unchanged");
  expect_refused("@input A f32[8,4]\n@output E f32[8]\nL(a,8)L(c,4)[D[a]=A[a,c]*1;];L(a,8)[E[a]=D[a];];\n",
                 "invertible");
}

TEST(ComputeInline, RefusesConversions) {
  expect_refused("@input A f32[8]\n@output E f32[8]\nL(a,8)[D:i32[a]=A[a]*2;];L(a,8)[E[a]=D:i32[a];];\n", "conversion");
  expect_refused(
      "@input A f32[8]\n@output E f32[8]\nL(a,8)[D:bool[a]=A[a]<2;];L(a,8)[E[a]=if_then_else(D:bool[a],1,0);];\n",
      "conversion");
  expect_refused("@input A i32[8]\n@output E f32[8]\nL(a,8)[D[a]=A:i32[a]*2;];L(a,8)[E[a]=D[a]*D[a];];\n",
                 "conversion");
  expect_refused("@output E f32[8]\nL(a,8)[D[a]=a*2;];L(a,8)[E[a]=D[a];];\n", "conversion");
}

// What precompute_indices has put into a table, and a copy of an index tensor, also inside a left side.
TEST(ComputeInline, IntoSubscripts) {
  expect_inlined(R"(
@input A f32[8,6]
@input C f32[3]
@output D f32[8,4]
B(tx,4)L(c,3)[E:i64[tx,c]=tx+c;];B(tx,8)L(a,4)L(c,3)[D[tx,a]=D[tx,a]+A[tx,E:i64[a,c]]*C[c];];
)",
                 "B(tx,8)L(a,4)L(c,3)[D[tx,a]=D[tx,a]+A[tx,a+c]*C[c];];");
  expect_inlined(R"(
@input A f32[8]
@input C i32[4] [0,4)
@output D f32[4]
L(a,4)[E:i32[a]=C:i32[3-a];];L(a,4)[D[a]=A[E:i32[a]*2+1];];
)",
                 "L(a,4)[D[a]=A[C:i32[3-a]*2+1];];");
  expect_inlined(R"(
@input A f32[8]
@output D f32[4]
L(a,4)[D[a]=0;];L(a,4)[E:i64[a]=3-a;];L(a,4)[D[E:i64[a]]=A[E:i64[a]*2+1];];
)",
                 "L(a,4)[D[a]=0;];L(a,4)[D[3-a]=A[7-a*2];];", "1/0");
}

TEST(ComputeInline, RefusesSubscripts) {
  // 8-bit integers do not hold 300.
  expect_refused("@input A f32[600]\n@output E f32[2]\nL(a,2)[D:i8[a]=a*300;];L(a,2)[E[a]=A[D:i8[a]];];\n", "values");
  expect_refused(
      "@input A f32[8]\n@input C i64[8] [0,8)\n@output E "
      "f32[8]\nL(a,8)[D:i64[a]=C:i64[7-a]*1;];L(a,8)[E[a]=A[D:i64[a]];];\n",
      "values");
}

// E is shared by the threads; D is one thread's copy, and the use is another thread's.
TEST(ComputeInline, RefusesAnotherThreadsData) {
  expect_refused(R"(
@input A f32[2,8]
@output F f32[2,8]
B(bx,2)[B(tx,8)[G:l[]=A[bx,tx];D:s[tx]=G:l[]*2;];B(tx,8)[F[bx,tx]=D:s[7-tx];];];
)",
                 "scopes", "0/0/1");
}

// Between the definition and the use stands a barrier; the item of the use overwrites what the definition reads, each
// thread its own element, later in the sequential order.
TEST(ComputeInline, RefusesToLoseABarrier) {
  expect_refused(R"(
@input A f32[2,8]
@output F f32[2,7]
B(bx,2)[B(tx,8)[E:s[tx]=A[bx,tx];];B(tx,7)[D[bx,tx]=E:s[tx+1]*2;];B(tx,7)[F[bx,tx]=D[bx,tx];E:s[tx]=0;];];
)",
                 "races", "0/1/0");
}

TEST(ComputeInline, RefusesGrowth) {
  std::string sum = "A[a]";
  for (int i = 0; i < 70; ++i) sum += "+A[a]";
  std::string uses = "D[a]";
  for (int i = 0; i < 70; ++i) uses += "*D[a]";
  expect_refused("@input A f32[8]\n@output E f32[8]\nL(a,8)[D[a]=" + sum + ";];L(a,8)[E[a]=" + uses + ";];\n",
                 "growth");
}

TEST(ComputeInline, Places) {
  constexpr std::string_view kTwo = "@input A f32[8]\n@output E f32[8]\nL(a,8)[D[a]=A[a]*2;];L(a,8)[E[a]=D[a];];\n";
  expect_refused(kTwo, "place", "0");
  expect_refused(kTwo, "place", "0/1");
}

// The register lives in the first kernel only.
TEST(ComputeInline, NotOutOfTheKernelOfItsOperands) {
  expect_refusal("compute_inline", R"(
@input A f32[8]
@output E f32[8]
B(tx,8)[M:l[]=A[tx];D[tx]=M:l[]/2;];B(tx,8)[E[tx]=D[tx]+1;];
)",
                 R"({"at":"0/1"})", "scopes");
}

}  // namespace
}  // namespace steptp::testing
