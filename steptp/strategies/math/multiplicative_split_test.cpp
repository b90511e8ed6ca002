#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kRows =
    "@input A f32[8,6] positive\n@input C f32[8,6] positive\n@input F f32[8,6]\n@output E f32[8,6]\n";
std::string program(std::string_view right) { return std::string(kRows) + row_nest(right); }

TEST(MultiplicativeSplit, TheElementBefore) {
  expect_rewrite("multiplicative_split", program("A[tx,a]*C[tx,a]"), R"({"at":"0/0:right.0","with":"previous"})",
                 row_nest("(A[tx,a]/if_then_else(a-1<0,1,A[tx,a-1])*if_then_else(a-1<0,1,A[tx,a-1]))*C[tx,a]"));
}

TEST(MultiplicativeSplit, AnotherValue) {
  expect_rewrite("multiplicative_split", program("exp(F[tx,a])*A[tx,a]"), R"({"at":"0/0:right.0.0","with":"C"})",
                 row_nest("exp(F[tx,a]/C[tx,a]*C[tx,a])*A[tx,a]"));
}

// A power of two is exact, one plus a size keeps the quotient in range; a value that is only positive does not.
TEST(MultiplicativeSplit, HarmlessFactors) {
  const std::string product = program("A[tx,a]*F[tx,a]");
  expect_safe_rewrite("multiplicative_split", product, R"({"at":"0/0:right.1","with":"two"})",
                      row_nest("A[tx,a]*(F[tx,a]/2*2)"));
  expect_safe_rewrite("multiplicative_split", product, R"json({"at":"0/0:right.1","with":"1+abs(0/0:right.1)"})json",
                      row_nest("A[tx,a]*(F[tx,a]/(1+abs(F[tx,a]))*(1+abs(F[tx,a])))"));
  expect_safe_rewrite("multiplicative_split", program("exp(F[tx,a]-A[tx,a])"), R"({"at":"0/0:right.0.0","with":"two"})",
                      row_nest("exp(F[tx,a]/2*2-A[tx,a])"));
  expect_unsafe_step("multiplicative_split", program("exp(F[tx,a]-A[tx,a])"),
                     R"json({"at":"0/0:right.0.0","with":"1+abs(0/0:right.0.0)"})json");
}

// A sum of exponentials below their maximum is at least one and at most their number.
TEST(MultiplicativeSplit, ASumOfExponentialsBelowAMaximum) {
  constexpr std::string_view kSums = R"(B(tx,8)L(a,6)[D[tx]=max(D[tx],F[tx,a]);];
B(tx,8)L(a,6)[G[tx]=G[tx]+exp(F[tx,a]-D[tx]);];
)";
  expect_safe_rewrite("multiplicative_split", concat(kRows, kSums, row_nest("A[tx,a]*G[tx]")),
                      R"({"at":"2/0:right.0","with":"2/0:right.1"})",
                      concat(kSums, row_nest("A[tx,a]/G[tx]*G[tx]*G[tx]")));
}

// The accumulator is not taken apart; the term beside it is.
TEST(MultiplicativeSplit, InsideAnAccumulation) {
  constexpr std::string_view kSum =
      "@input A f32[8,6] positive\n@output E f32[8]\nB(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a];];\n";
  expect_refusal("multiplicative_split", kSum, R"({"at":"0/0:right.0","with":"previous"})", "accumulator");
  expect_rewrite(
      "multiplicative_split", kSum, R"({"at":"0/0:right.1","with":"previous"})",
      "B(tx,8)L(a,6)[E[tx]=E[tx]+(A[tx,a]/if_then_else(a-1<0,1,A[tx,a-1])*if_then_else(a-1<0,1,A[tx,a-1]));];");
}

// In a branch or under a guard the element before may not be there.
TEST(MultiplicativeSplit, NoElementBeforeUnderAGuard) {
  expect_refusal("multiplicative_split", program("if_then_else(a>2,A[tx,a],0)"),
                 R"({"at":"0/0:right.1","with":"previous"})", "in-scope");
  expect_refusal("multiplicative_split", "@input A f32[8] positive\n@output E f32[6]\nL(a,6)[E[a]=A[a+2];];\n",
                 R"({"at":"0/0:right","with":"previous"})", "in-scope");
}

// What the same nest writes is not complete.
TEST(MultiplicativeSplit, NotWhatTheNestWrites) {
  expect_refusal("multiplicative_split", R"(
@input A f32[8] positive
@output E f32[8]
L(a,8)[D[a]=A[a]+1;E[a]=D[a]*A[a];];
)",
                 R"({"at":"0/1:right.0","with":"previous"})", "in-scope");
}

TEST(MultiplicativeSplit, Refusals) {
  expect_no_choice("multiplicative_split", "@input A i32[8]\n@output E i32[8]\nB(tx,8)[E:i32[tx]=A:i32[tx]+1;];\n",
                   "one-type");
  expect_no_choice("multiplicative_split", program("floor(A[tx,a])"), "value-only");
  expect_refusal("multiplicative_split", R"(
@input A f32[8]
@input C f32[8]
@output E f32[8]
B(tx,8)[D[tx]=if_then_else(C[tx]<0,-inf,1);];
B(tx,8)[E[tx]=A[tx]*D[tx];];
)",
                 R"({"at":"1/0:right.0","with":"1/0:right.1"})", "finite");
  expect_refusal("multiplicative_split", R"(
@input A f32[8]
@input C f32[8]
@output E f32[8]
B(tx,8)[D[tx]=exp(C[tx]);];
B(tx,8)[E[tx]=A[tx]*D[tx];];
)",
                 R"({"at":"1/0:right.0","with":"1/0:right.1"})", "overflow");
  expect_refusal("multiplicative_split", program("A[tx,a]*F[tx,a]"), R"({"at":"0/0:right.0","with":"0/0:right.1"})",
                 "non-zero");
}

}  // namespace
}  // namespace steptp::testing
