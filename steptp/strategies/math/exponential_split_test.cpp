#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kRows =
    "@input A f32[8,6] [-4,4)\n@input D f32[8] [-4,4)\n@input C f32[8,6] [-4,4)\n"
    "@input F f32[8,6]\n@output E f32[8,6]\n";
std::string program(std::string_view right) { return std::string(kRows) + row_nest(right); }

TEST(ExponentialSplit, TheElementBefore) {
  expect_rewrite("exponential_split", program("exp(A[tx,a]-D[tx])"),
                 R"({"at":"0/0:right","term":0,"with":"previous","form":"product"})",
                 row_nest("exp(A[tx,a]-if_then_else(a-1<0,0,A[tx,a-1]))*exp(if_then_else(a-1<0,0,A[tx,a-1])-D[tx])"));
  expect_rewrite("exponential_split", program("exp(A[tx,a]-D[tx])"),
                 R"({"at":"0/0:right","term":0,"with":"previous","form":"quotient"})",
                 row_nest("exp(A[tx,a]-if_then_else(a-1<0,0,A[tx,a-1]))/exp(D[tx]-if_then_else(a-1<0,0,A[tx,a-1]))"));
}

// Both exponents have the sign of the whole one and are not larger. F has no bounds: any other value may leave the
// range.
TEST(ExponentialSplit, PartsOfOneSign) {
  const std::string difference = program("exp(F[tx,a]-C[tx,a])");
  expect_safe_rewrite("exponential_split", difference, R"({"at":"0/0:right","term":0,"with":"half","form":"product"})",
                      row_nest("exp((F[tx,a]-C[tx,a])*0.5)*exp((F[tx,a]-C[tx,a])*0.5)"));
  expect_safe_rewrite("exponential_split", difference,
                      R"json({"at":"0/0:right","term":0,"with":"clamp(A)","form":"product"})json",
                      row_nest("exp(F[tx,a]-max(min(A[tx,a],max(F[tx,a],C[tx,a])),min(F[tx,a],C[tx,a])))"
                               "*exp(max(min(A[tx,a],max(F[tx,a],C[tx,a])),min(F[tx,a],C[tx,a]))-C[tx,a])"));
  expect_safe_rewrite("exponential_split", program("exp(F[tx,a])"),
                      R"({"at":"0/0:right","term":0,"with":"half","form":"product"})",
                      row_nest("exp(F[tx,a]*0.5)*exp(F[tx,a]*0.5)"));
  expect_refusal("exponential_split", difference, R"({"at":"0/0:right","term":0,"with":"A","form":"product"})",
                 "overflow");
  expect_refusal("exponential_split", difference,
                 R"json({"at":"0/0:right","term":0,"with":"clamp(A)","form":"quotient"})json", "in-scope");
}

// With three terms, the rest keeps its signs.
TEST(ExponentialSplit, ThreeTerms) {
  expect_rewrite("exponential_split", program("exp(A[tx,a]-D[tx]+0.5*C[tx,a])"),
                 R"({"at":"0/0:right","term":0,"with":"0/0:right.0.2.1","form":"product"})",
                 row_nest("exp(A[tx,a]-C[tx,a])*exp(C[tx,a]-D[tx]+0.5*C[tx,a])"));
}

// The read must be a term of its own: in exp(A*C) there is none.
TEST(ExponentialSplit, NeedsATerm) {
  const auto none = [](std::string_view right, std::string_view why) {
    expect_no_choice("exponential_split", program(right), why);
  };
  none("exp(A[tx,a]*C[tx,a])", "matches");
  none("exp(2*A[tx,a]-D[tx])", "matches");
  none("exp(-A[tx,a])", "matches");
  none("A[tx,a]*C[tx,a]", "matches");
}

TEST(ExponentialSplit, Refusals) {
  const auto refused = [](std::string_view right, std::string_view with, std::string_view why) {
    expect_refusal("exponential_split", program(right),
                   R"({"at":"0/0:right","term":0,"with":")" + std::string(with) + R"(","form":"product"})", why);
  };
  // F may be anything: exp(A-F) is then too large.
  refused("exp(A[tx,a]-D[tx])", "F", "overflow");
  refused("exp(F[tx,a]-D[tx])", "A", "overflow");
  refused("exp(A[tx,a]-D[tx])", "E", "in-scope");
  refused("exp(A[tx,a]-D[tx])*log(F[tx,a])", "A", "matches");
  expect_no_choice("exponential_split", program("floor(exp(A[tx,a]-D[tx]))"), "value-only");
  expect_no_choice("exponential_split",
                   "@input A f16[8]\n@input D f32[8]\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=exp(A:f16[tx]-D[tx]);];\n",
                   "one-type");
  expect_no_choice("exponential_split", "@input A f32[8]\n@output E f32\nL(a,8)[E[]=E[]+A[a];];\n", "accumulator");
}

// -inf-inf is undefined.
TEST(ExponentialSplit, NeedsAFiniteValue) {
  expect_refusal("exponential_split", R"(
@input A f32[8] [-4,4)
@input C f32[8]
@output E f32[8]
B(tx,8)[D[tx]=if_then_else(C[tx]<0,-inf,0);];
B(tx,8)[E[tx]=exp(A[tx])*exp(D[tx]);];
)",
                 R"({"at":"1/0:right.0","term":0,"with":"1/0:right.1.0","form":"product"})", "finite");
}

}  // namespace
}  // namespace steptp::testing
