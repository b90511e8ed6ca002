#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(ExpandCancellation, AValueAboveAndBelow) {
  expect_rewrite("expand_cancellation", vector_program("(A[tx]+1)/D[tx]"), R"({"at":"0/0:right","with":"F"})",
                 vector_nest("(A[tx]*F[tx]+F[tx])/(F[tx]*D[tx])"));
  expect_rewrite("expand_cancellation", vector_program("2*A[tx]/D[tx]"), R"({"at":"0/0:right","with":"0/0:right.2"})",
                 vector_nest("2*A[tx]*D[tx]/(D[tx]*D[tx])"));
}

// A power of two, and one plus a size where nothing cancels above: A+1 does.
TEST(ExpandCancellation, HarmlessFactors) {
  expect_safe_rewrite("expand_cancellation", vector_program("(A[tx]+1)/D[tx]"), R"({"at":"0/0:right","with":"two"})",
                      vector_nest("(A[tx]*2+2)/(2*D[tx])"));
  expect_safe_rewrite("expand_cancellation", vector_program("A[tx]/(D[tx]+1)"), R"({"at":"0/0:right","with":"two"})",
                      vector_nest("A[tx]*2/(2*(D[tx]+1))"));
  expect_safe_rewrite("expand_cancellation", vector_program("A[tx]/D[tx]"),
                      R"json({"at":"0/0:right","with":"1+abs(0/0:right.0)"})json",
                      vector_nest("A[tx]*(1+abs(A[tx]))/((1+abs(A[tx]))*D[tx])"));
  expect_unsafe_step("expand_cancellation", vector_program("(A[tx]+1)/D[tx]"),
                     R"json({"at":"0/0:right","with":"1+abs(0/0:right.0.0)"})json");
}

// A tensor with the first dimensions of the left side; one that an earlier expression has computed, and is positive.
TEST(ExpandCancellation, WhatIsInScope) {
  constexpr std::string_view kRows = R"(
@input A f32[8,6]
@input C f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx]=D[tx]+exp(C[tx,a]-4);];
B(tx,8)L(a,6)[F[tx,a]=A[tx,a]**2+1;];
B(tx,8)L(a,6)[E[tx,a]=A[tx,a]/F[tx,a];];
)";
  expect_rewrite("expand_cancellation", kRows, R"({"at":"2/0:right","with":"2/0:right.1"})", R"(
B(tx,8)L(a,6)[D[tx]=D[tx]+exp(C[tx,a]-4);];
B(tx,8)L(a,6)[F[tx,a]=A[tx,a]**2+1;];
B(tx,8)L(a,6)[E[tx,a]=A[tx,a]*F[tx,a]/(F[tx,a]*F[tx,a]);];
)");
  // D is positive, but a sum of exponentials may be as large as it likes.
  expect_refusal("expand_cancellation", kRows, R"({"at":"2/0:right","with":"D"})", "overflow");
  expect_refusal("expand_cancellation", kRows, R"({"at":"2/0:right","with":"C"})", "non-zero");
  expect_refusal("expand_cancellation", kRows, R"({"at":"2/0:right","with":"E"})", "in-scope");
}

TEST(ExpandCancellation, Refusals) {
  const auto none = [](std::string_view right, std::string_view why) {
    expect_no_choice("expand_cancellation", vector_program(right), why);
  };
  none("A[tx]/2", "matches");
  none("A[tx]/C[tx]", "non-zero");
  none("log(A[tx])/D[tx]", "finite");
  none("floor(A[tx]/D[tx])", "value-only");
  expect_no_choice("expand_cancellation",
                   "@input A f16[8]\n@input D f32[8] positive\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=A:f16[tx]/D[tx];];\n",
                   "one-type");
  expect_no_choice("expand_cancellation", "@input D f32[8] positive\n@output E f32\nL(a,8)[E[]=E[]*D[a];];\n",
                   "accumulator");
}

}  // namespace
}  // namespace steptp::testing
