#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kSums = R"(
@input A f32[4,12]
@output D f32[4,12]
B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];
)";
constexpr std::string_view kRunning = R"({"at":"0","form":"running","inner":0})";
constexpr std::string_view kParts = R"({"at":"0","form":"parts","inner":4})";

std::string of_nest(std::string_view nest) {
  return concat("@input A f32[4,12]\n@input C f32[12,12]\n@output D f32[4,12]\n", nest, "\n");
}

TEST(PrefixFold, TheRunningFoldHasATensorOfItsOwn) {
  expect_rewrite("prefix_fold", kSums, kRunning,
                 "B(tx,4)L(a,12)[E[tx,a]=if_then_else(a-1<0,0,E[tx,a-1])+A[tx,a];D[tx,a]=E[tx,a];];");
}

TEST(PrefixFold, TheRunningFoldRunsAlongItsLastDimension) {
  expect_rewrite("prefix_fold", R"(
@input A f32[12,4]
@output E f32[4,12]
B(tx,4)L(a,12)L(c,12)[D[a,tx]=D[a,tx]*if_then_else(a<c,1,A[c,tx]);];
B(tx,4)L(a,12)[E[tx,a]=D[a,tx]*2;];
)",
                 kRunning,
                 "B(tx,4)L(a,12)[C[tx,a]=if_then_else(a-1<0,1,C[tx,a-1])*A[a,tx];D[a,tx]=C[tx,a];];"
                 "B(tx,4)L(a,12)[E[tx,a]=D[a,tx]*2;];");
}

TEST(PrefixFold, PartsAndWhatComesBeforeThem) {
  expect_rewrite("prefix_fold", kSums, kParts,
                 "B(tx,4)L(d,3)L(c,4)[E[tx,d]=E[tx,d]+A[tx,d*4+c];];"
                 "B(tx,4)L(d,3)L(c,3)[F[tx,d]=F[tx,d]+if_then_else(c<d,E[tx,c],0);];"
                 "B(tx,4)L(d,3)L(a,4)L(c,4)[G[tx,d,a]=G[tx,d,a]+if_then_else(c<=a,A[tx,d*4+c],0);];"
                 "B(tx,4)L(d,3)L(a,4)[D[tx,d*4+a]=F[tx,d]+G[tx,d,a];];");
}

TEST(PrefixFold, TheLastPartIsShorter) {
  expect_rewrite("prefix_fold", R"(
@input A f32[4,12]
@output D f32[4,12]
B(tx,4)L(a,12)L(c,12)[D[tx,a]=max(D[tx,a],if_then_else(a>=c,A[tx,c],-inf));];
)",
                 R"({"at":"0","form":"parts","inner":5})",
                 "B(tx,4)L(d,3)L(c,5)?{d*5+c<12}[E[tx,d]=max(E[tx,d],A[tx,d*5+c]);];"
                 "B(tx,4)L(d,3)L(c,3)[F[tx,d]=max(F[tx,d],if_then_else(c<d,E[tx,c],-inf));];"
                 "B(tx,4)L(d,3)L(a,5)L(c,5)?{d*5+a<12}[G[tx,d,a]=max(G[tx,d,a],if_then_else(c<=a,A[tx,d*5+c],-inf));];"
                 "B(tx,4)L(d,3)L(a,5)?{d*5+a<12}[D[tx,d*5+a]=max(F[tx,d],G[tx,d,a]);];");
}

// What is read beyond c<a is nowhere: the last element of A is the eleventh.
TEST(PrefixFold, WithoutItsOwnTerm) {
  expect_rewrite("prefix_fold", R"(
@input A f32[11]
@output D f32[12]
L(a,12)L(c,11)[D[a]=D[a]+if_then_else(c<a,A[c],0);];
)",
                 kParts,
                 "L(d,3)L(c,4)?{d*4+c<11}[E[d]=E[d]+A[d*4+c];];L(d,3)L(c,3)[F[d]=F[d]+if_then_else(c<d,E[c],0);];"
                 "L(d,3)L(a,4)L(c,4)[G[d,a]=G[d,a]+if_then_else(c<a,A[d*4+c],0);];"
                 "L(d,3)L(a,4)[D[d*4+a]=F[d]+G[d,a];];");
  expect_refusal("prefix_fold", R"(
@input A f32[11]
@output D f32[12]
L(a,12)L(c,11)[D[a]=D[a]+if_then_else(c<a,A[c],0);];
)",
                 kRunning, "inclusive");
}

/// What comes before parts is a fold of its own, which can be cut again.
TEST(PrefixFold, PartsOfParts) {
  const Program once = after_step("prefix_fold", strategy_program(R"(
@input A f32[3,60]
@output D f32[3,60]
B(tx,3)L(a,60)L(c,60)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];
)"),
                                  kParts);
  (void)after_step("prefix_fold", once, R"({"at":"1","form":"parts","inner":3})");
  (void)after_step("prefix_fold", once, R"({"at":"2","form":"running","inner":0})");
}

TEST(PrefixFold, Refuses) {
  const auto refused = [](std::string_view nest, std::string_view why) {
    expect_refusal("prefix_fold", of_nest(nest), kParts, why);
  };
  refused("B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],1);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]-if_then_else(c<=a,A[tx,c],0);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(c<=a+1,A[tx,c],0);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(a<=c,A[tx,c],0);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(c!=a,A[tx,c],0);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c]*a,0);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(c<=a,C[a,c],0);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(A[tx,c]<=A[tx,a],A[tx,c],0);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,11)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,12)L(d,12)[D[tx,a]=D[tx,a]+if_then_else(c<=a,C[c,d],0);];", "prefix");
  refused("B(tx,4)L(a,12)L(c,12)?{a<9}[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];", "prefix");
  refused("B(tx,4)L(a,12)[D[tx,a]=1;];B(tx,4)L(a,12)L(c,12)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[tx,c],0);];",
          "prefix");
  refused("L(d,4)[L(a,12)L(c,12)[D[d,a]=D[d,a]+if_then_else(c<=a,A[d,c],0);];];", "prefix");
  refused("L(d,4)B(tx,12)L(c,12)[D[d,tx]=D[d,tx]+if_then_else(c<=tx,A[d,c],0);];", "serial");
  refused("L(d,4)U(a,12)L(c,12)[D[d,a]=D[d,a]+if_then_else(c<=a,A[d,c],0);];", "serial");
}

// The subscript of D has the loop and something else.
TEST(PrefixFold, WantsASubscriptOfItsOwn) {
  expect_refusal("prefix_fold", R"(
@input A f32[12]
@output D f32[13]
B(tx,1)[D[0]=0;];
L(a,12)L(c,12)[E[a+1]=E[a+1]+if_then_else(c<=a,A[c],0);];
L(a,12)[D[a+1]=E[a+1];];
)",
                 R"({"at":"1","form":"parts","inner":4})", "prefix");
}

TEST(PrefixFold, Sizes) {
  for (const int inner : {0, 1, 12, 13, -2}) {
    expect_refusal("prefix_fold", kSums, concat(R"({"at":"0","form":"parts","inner":)", inner, "}"), "cut");
  }
  expect_refusal("prefix_fold", kSums, R"({"at":"0","form":"running","inner":2})", "cut");
  expect_refusal("prefix_fold", R"(
@input A f32[40000]
@output D f32[30000,40000]
B(tx,30000)L(a,40000)L(c,40000)[D[tx,a]=D[tx,a]+if_then_else(c<=a,A[c],0);];
)",
                 kParts, "memory");
}

// Integers wrap, whatever the order; what is converted on the way does not.
TEST(PrefixFold, Integers) {
  (void)after_step("prefix_fold", strategy_program(R"(
@input A i32[12]
@output D i32[12]
L(a,12)L(c,12)[D:i32[a]=D:i32[a]+if_then_else(c<=a,A:i32[c],0);];
)"),
                   kParts);
  expect_refusal("prefix_fold", R"(
@input A f32[12]
@output D i32[12]
L(a,12)L(c,12)[D:i32[a]=D:i32[a]+if_then_else(c<=a,A[c],0);];
)",
                 kParts, "prefix");
}

}  // namespace
}  // namespace steptp::testing
