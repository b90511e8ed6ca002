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

constexpr std::string_view kTwoAxes = R"(
@input A f32[8,4,6]
@output D f32[8]
B(tx,8)L(a,4)L(c,6)[D[tx]=D[tx]+A[tx,a,c];];
)";

TEST(ReductionFactorization, OneAxis) {
  expect_rewrite("reduction_factorization", kMatmul, R"({"at":"0:loop[2]","form":"accumulate","cut":1})",
                 "B(tx,8)L(a,6)L(c,1)[E[tx,a]=E[tx,a]+A[tx,c]*C[c,a];];"
                 "B(tx,8)L(a,6)L(c,3)[F[tx,a]=F[tx,a]+A[tx,c+1]*C[c+1,a];];"
                 "B(tx,8)L(a,6)[D[tx,a]=D[tx,a]+(E[tx,a]+F[tx,a]);];");
}

TEST(ReductionFactorization, TwoAxes) {
  expect_rewrite("reduction_factorization", kTwoAxes, R"({"at":"0:loop[2]","form":"assign","cut":2})",
                 "B(tx,8)L(a,4)L(c,2)[E[tx]=E[tx]+A[tx,a,c];];B(tx,8)L(a,4)L(c,4)[F[tx]=F[tx]+A[tx,a,c+2];];"
                 "B(tx,8)[D[tx]=E[tx]+F[tx];];");
}

TEST(ReductionFactorization, Rfactor) {
  expect_rewrite("reduction_factorization", kTwoAxes, R"({"at":"0:loop[1]","form":"rfactor","cut":0})",
                 "B(tx,8)L(a,4)L(c,6)[E[tx,a]=E[tx,a]+A[tx,a,c];];B(tx,8)L(a,4)[D[tx]=D[tx]+E[tx,a];];");
}

TEST(ReductionFactorization, MaximumOfAScalarWithBareIndex) {
  expect_rewrite("reduction_factorization", R"(
@input A f32[4]
@output D f32
L(c,4)[D[]=max(D[],A[c]-c);];
)",
                 R"({"at":"0:loop[0]","form":"accumulate","cut":2})",
                 "L(c,2)[E[]=max(E[],A[c]-c);];L(c,2)[F[]=max(F[],A[c+2]-(c+2));];"
                 "B(tx,1)[D[]=max(D[],max(E[],F[]));];");
}

// Each round of k has parts of its own, or the second round would add the first one again.
TEST(ReductionFactorization, InsideAnotherLoop) {
  expect_rewrite("reduction_factorization", R"(
@input A f32[8,3,4]
@output D f32[8]
B(tx,8)[D[tx]=1;L(k,3)[L(c,4)[D[tx]=D[tx]+A[tx,k,c];];];];
)",
                 R"({"at":"0/1/0:loop[0]","form":"accumulate","cut":3})",
                 "B(tx,8)[D[tx]=1;L(k,3)[L(c,3)[E[tx,k]=E[tx,k]+A[tx,k,c];];L(c,1)[F[tx,k]=F[tx,k]+A[tx,k,c+3];];"
                 "D[tx]=D[tx]+(E[tx,k]+F[tx,k]);];];");
}

// D(a+c) is met by several (a,c): with parts per element each of them would add the same part again.
TEST(ReductionFactorization, ElementsThatSeveralIterationsUpdate) {
  constexpr std::string_view kDiagonals = R"(
@input A f32[3,4,5]
@output D f32[6]
L(a,3)L(c,4)L(d,5)[D[a+c]=D[a+c]+A[a,c,d];];
)";
  expect_rewrite("reduction_factorization", kDiagonals, R"({"at":"0:loop[2]","form":"accumulate","cut":2})",
                 "L(a,3)L(c,4)L(d,2)[E[a,c]=E[a,c]+A[a,c,d];];L(a,3)L(c,4)L(d,3)[F[a,c]=F[a,c]+A[a,c,d+2];];"
                 "L(a,3)L(c,4)[D[a+c]=D[a+c]+(E[a,c]+F[a,c]);];");
  expect_refusal("reduction_factorization", kDiagonals, R"({"at":"0:loop[2]","form":"assign","cut":2})", "first-write");
}

// The last part of a split with a rest is shorter; a guard that leaves a part without any term is refused.
TEST(ReductionFactorization, PartsOfDifferentLengths) {
  const auto guarded = [](const char* guard, int rows = 8) {
    return concat("@input A f32[8,10]\n@output D f32[", rows, "]\nB(tx,8)L(f,3)L(c,4)?{", guard,
                  "}[D[tx]=D[tx]+A[tx,f*4+c];];\n");
  };
  constexpr std::string_view kParts = R"({"at":"0:loop[1]","form":"rfactor","cut":0})";
  expect_rewrite("reduction_factorization", guarded("f*4+c<10"), kParts,
                 "B(tx,8)L(f,3)L(c,4)?{f*4+c<10}[E[tx,f]=E[tx,f]+A[tx,f*4+c];];B(tx,8)L(f,3)[D[tx]=D[tx]+E[tx,f];];");
  expect_rewrite("reduction_factorization", guarded("tx<5&f*4+c<10", 5), kParts,
                 "B(tx,8)L(f,3)L(c,4)?{tx<5&f*4+c<10}[E[tx,f]=E[tx,f]+A[tx,f*4+c];];"
                 "B(tx,8)L(f,3)?{tx<5}[D[tx]=D[tx]+E[tx,f];];");
  expect_refusal("reduction_factorization", guarded("f*4+c<8"), kParts, "guard");
  expect_refusal("reduction_factorization", guarded("c<tx&f*4+c<10"), kParts, "guard");
  expect_refusal("reduction_factorization", guarded("f*4+c<10"), R"({"at":"0:loop[1]","form":"accumulate","cut":1})",
                 "guard");
}

TEST(ReductionFactorization, Refusals) {
  const auto refused = [](std::string_view program, std::string_view choice, std::string_view why) {
    expect_refusal("reduction_factorization", program, choice, why);
  };
  refused(kMatmul, R"({"at":"0:loop[1]","form":"accumulate","cut":1})", "reduction");
  refused(kMatmul, R"({"at":"0:loop[2]","form":"accumulate","cut":4})", "cut");
  refused(kMatmul, R"({"at":"0:loop[2]","form":"rfactor","cut":1})", "cut");
  refused(kMatmul, R"({"at":"0:loop[2]","form":"both","cut":1})", "choice");
  refused("@input A f32[8,4]\n@input C f32[8]\n@output D f32[8]\nB(tx,8)L(c,4)[D[tx]=D[tx]*A[tx,c]+C[tx];];\n",
          R"({"at":"0:loop[1]","form":"accumulate","cut":1})", "reduction");
  refused("@input A f32[8,4]\n@output D i32[8]\nB(tx,8)L(c,4)[D:i32[tx]=D:i32[tx]+A[tx,c];];\n",
          R"({"at":"0:loop[1]","form":"accumulate","cut":1})", "reduction");
  refused("@input A f32[8,4]\n@output D f32[8]\nB(tx,8)[D[tx]=1;];B(tx,8)L(c,4)[D[tx]=D[tx]+A[tx,c];];\n",
          R"({"at":"1:loop[1]","form":"assign","cut":1})", "first-write");
  refused("@input A f32[8,4]\n@output D f32[8]\nB(tx,8)[D[tx]=0;];B(tx,8)L(c,4)?{c<tx}[D[tx]=D[tx]+A[tx,c];];\n",
          R"({"at":"1:loop[1]","form":"accumulate","cut":1})", "guard");
  refused("@input A f32[8,4]\n@output D f32[8]\nB(tx,8)[L(c,4)[E:l[]=E:l[]+A[tx,c];];D[tx]=E:l[];];\n",
          R"({"at":"0/0:loop[0]","form":"accumulate","cut":1})", "global");
  refused("@input A f32[65536]\n@output D f32[65536]\nB(tx,65536)L(c,65536)[D[tx]=D[tx]+A[c];];\n",
          R"({"at":"0:loop[1]","form":"rfactor","cut":0})", "memory");
}

// A thread's own data cannot be read by the thread that its iteration would become.
TEST(ReductionFactorization, RefusesToShiftThreadsWithTheirOwnData) {
  constexpr std::string_view kCollective = R"(
@input A f32[3,4]
@output E f32[3]
B(bx,3)[B(tx,4)[D:l[]=A[bx,tx];];B(tx,4)[E[bx]=E[bx]+D:l[];];];
)";
  expect_refusal("reduction_factorization", kCollective, R"({"at":"0/1:loop[0]","form":"accumulate","cut":2})",
                 "global");
}

// Blocks add to one element: the equation that does it stands alone, which it would not beside its parts.
TEST(ReductionFactorization, RefusesPartsBesideACollective) {
  constexpr std::string_view kBlocks = R"(
@input A f32[5,2,3]
@output D f32[2]
B(bx,5)B(ty,2)[L(a,3)[D[ty]=D[ty]+A[bx,ty,a];];];
)";
  expect_refusal("reduction_factorization", kBlocks, R"({"at":"0/0:loop[0]","form":"accumulate","cut":1})", "races");
  expect_refusal("reduction_factorization", kBlocks, R"({"at":"0/0:loop[0]","form":"rfactor","cut":0})", "races");
}

}  // namespace
}  // namespace steptp::testing
