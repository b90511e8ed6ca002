#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kRows =
    "@input A f32[8,6] positive\n@input C f32[8,6] positive\n@input F f32[8,6]\n@output E f32[8,6]\n";
std::string program(std::string_view right) { return std::string(kRows) + row_nest(right); }

TEST(AdditiveSplit, TheElementBefore) {
  expect_rewrite("additive_split", program("A[tx,a]*C[tx,a]"), R"({"at":"0/0:right.0","with":"previous"})",
                 row_nest("(A[tx,a]+if_then_else(a-1<0,0,A[tx,a-1])-if_then_else(a-1<0,0,A[tx,a-1]))*C[tx,a]"));
}

TEST(AdditiveSplit, AnotherValue) {
  expect_rewrite("additive_split", program("exp(F[tx,a])*A[tx,a]"), R"({"at":"0/0:right.0.0","with":"C"})",
                 row_nest("exp(F[tx,a]+C[tx,a]-C[tx,a])*A[tx,a]"));
}

// A value that is never larger than the read costs it two roundings; any other may leave nothing of it. What is split
// before it cancels loses digits with any value.
TEST(AdditiveSplit, NoLargerThanTheRead) {
  const std::string product = program("A[tx,a]*F[tx,a]");
  expect_safe_rewrite("additive_split", product, R"({"at":"0/0:right.1","with":"half"})",
                      row_nest("A[tx,a]*(F[tx,a]+F[tx,a]*0.5-F[tx,a]*0.5)"));
  expect_safe_rewrite("additive_split", product, R"json({"at":"0/0:right.1","with":"clamp(0/0:right.0)"})json",
                      row_nest("A[tx,a]*(F[tx,a]+max(min(A[tx,a],abs(F[tx,a])),-abs(F[tx,a]))"
                               "-max(min(A[tx,a],abs(F[tx,a])),-abs(F[tx,a])))"));
  expect_unsafe_step("additive_split", product, R"({"at":"0/0:right.1","with":"0/0:right.0"})");
  expect_unsafe_step("additive_split", program("F[tx,a]-A[tx,a]"), R"({"at":"0/0:right.0","with":"half"})");
}

// The accumulator is not taken apart; the term beside it is.
TEST(AdditiveSplit, InsideAnAccumulation) {
  constexpr std::string_view kSum =
      "@input A f32[8,6] positive\n@output E f32[8]\nB(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a];];\n";
  expect_refusal("additive_split", kSum, R"({"at":"0/0:right.0","with":"previous"})", "accumulator");
  expect_rewrite(
      "additive_split", kSum, R"({"at":"0/0:right.1","with":"previous"})",
      "B(tx,8)L(a,6)[E[tx]=E[tx]+(A[tx,a]+if_then_else(a-1<0,0,A[tx,a-1])-if_then_else(a-1<0,0,A[tx,a-1]));];");
}

// In a branch or under a guard the element before may not be there.
TEST(AdditiveSplit, NoElementBeforeUnderAGuard) {
  expect_refusal("additive_split", program("if_then_else(a>2,A[tx,a],0)"), R"({"at":"0/0:right.1","with":"previous"})",
                 "in-scope");
  expect_refusal("additive_split", "@input A f32[8] positive\n@output E f32[6]\nL(a,6)[E[a]=A[a+2];];\n",
                 R"({"at":"0/0:right","with":"previous"})", "in-scope");
}

// What the same nest writes is not complete.
TEST(AdditiveSplit, NotWhatTheNestWrites) {
  expect_refusal("additive_split", R"(
@input A f32[8] positive
@output E f32[8]
L(a,8)[D[a]=A[a]+1;E[a]=D[a]*A[a];];
)",
                 R"({"at":"0/1:right.0","with":"previous"})", "in-scope");
}

TEST(AdditiveSplit, Refusals) {
  expect_no_choice("additive_split", "@input A i32[8]\n@output E i32[8]\nB(tx,8)[E:i32[tx]=A:i32[tx]+1;];\n",
                   "one-type");
  expect_no_choice("additive_split", program("floor(A[tx,a])"), "value-only");
  expect_refusal("additive_split", R"(
@input A f32[8]
@input C f32[8]
@output E f32[8]
B(tx,8)[D[tx]=if_then_else(C[tx]<0,-inf,1);];
B(tx,8)[E[tx]=A[tx]*D[tx];];
)",
                 R"({"at":"1/0:right.0","with":"1/0:right.1"})", "finite");
  expect_refusal("additive_split", R"(
@input A f32[8]
@input C f32[8]
@output E f32[8]
B(tx,8)[D[tx]=exp(C[tx]);];
B(tx,8)[E[tx]=A[tx]*D[tx];];
)",
                 R"({"at":"1/0:right.0","with":"1/0:right.1"})", "overflow");
}

}  // namespace
}  // namespace steptp::testing
