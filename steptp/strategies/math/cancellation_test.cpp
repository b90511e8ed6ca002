#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

void cancels(std::string_view right, std::string_view wanted) {
  expect_rewrite("cancellation", vector_program(right), R"({"at":"0/0:right"})", vector_nest(wanted));
}
void refuses(std::string_view right, std::string_view why) {
  expect_refusal("cancellation", vector_program(right), R"({"at":"0/0:right"})", why);
}

TEST(Cancellation, Quotients) {
  cancels("(A[tx]*D[tx]+D[tx])/(D[tx]*F[tx])", "(A[tx]+1)/F[tx]");
  cancels("A[tx]/D[tx]*D[tx]", "A[tx]");
  cancels("A[tx]*D[tx]**3/D[tx]", "A[tx]*D[tx]**2");
  cancels("(D[tx]**2-F[tx]**2)/(D[tx]+F[tx])", "D[tx]-F[tx]");
  cancels("C[tx]*(0.5*A[tx]*D[tx]+0.5*D[tx])/D[tx]", "C[tx]*(0.5*A[tx]+0.5)");
  cancels("(D[tx]*(A[tx]-C[tx])**2+D[tx])/(D[tx]*F[tx])", "((A[tx]-C[tx])**2+1)/F[tx]");
  cancels("A[tx]*exp(G[tx])/(exp(G[tx])*D[tx])", "A[tx]/D[tx]");
}

TEST(Cancellation, Differences) {
  cancels("A[tx]+C[tx]-C[tx]", "A[tx]");
  cancels("A[tx]-(C[tx]*D[tx]-1)+D[tx]*C[tx]", "A[tx]+1");
}

// What may be zero does not cancel: 0/0 is no number, and max takes the other one.
TEST(Cancellation, NeedsADivisorThatIsNotZero) {
  refuses("A[tx]/C[tx]*C[tx]", "non-zero");
  refuses("(A[tx]*C[tx]+C[tx])/(C[tx]*D[tx])", "non-zero");
  refuses("(A[tx]*C[tx])/C[tx]", "non-zero");
}

// A condition that keeps the divisor from being zero counts where it stands.
TEST(Cancellation, ConditionsCount) {
  expect_rewrite("cancellation", vector_program("if_then_else(C[tx]!=0,A[tx]*C[tx]/C[tx],0)"),
                 R"({"at":"0/0:right.1"})", vector_nest("if_then_else(C[tx]!=0,A[tx],0)"));
  expect_refusal("cancellation", vector_program("if_then_else(C[tx]!=0,0,A[tx]*C[tx]/C[tx])"),
                 R"({"at":"0/0:right.2"})", "non-zero");
  expect_refusal("cancellation", vector_program("if_then_else(A[tx]>0,A[tx]*C[tx]/C[tx],0)"), R"({"at":"0/0:right.1"})",
                 "non-zero");
}

// A tensor at two subscripts is two values.
TEST(Cancellation, SubscriptsCount) {
  expect_no_choice("cancellation", "@input D f32[9] positive\n@output E f32[8]\nB(tx,8)[E[tx]=D[tx]/D[tx+1];];\n",
                   "matches");
  expect_no_choice("cancellation", "@input D f32[9]\n@output E f32[8]\nB(tx,8)[E[tx]=2+D[tx]-D[tx+1];];\n", "matches");
}

// Two exponentials with different arguments are two values: nothing is multiplied through, which could overflow.
TEST(Cancellation, KeepsExponentials) { refuses("(exp(A[tx])-exp(-A[tx]))/(exp(A[tx])+exp(-A[tx]))", "matches"); }

TEST(Cancellation, Refusals) {
  refuses("A[tx]+log(C[tx])-log(C[tx])", "finite");
  refuses("A[tx]/D[tx]", "matches");
  refuses("D[tx]/D[tx]", "one-type");
  expect_no_choice("cancellation", vector_program("floor(A[tx]*D[tx]/D[tx])"), "value-only");
  expect_no_choice("cancellation", "@input A f32[8]\n@output E f32\nL(a,8)[E[]=E[]+A[a];];\n", "accumulator");
  expect_no_choice("cancellation",
                   "@input A i32[8]\n@input C i32[8]\n@output E i32[8]\n"
                   "B(tx,8)[E:i32[tx]=A:i32[tx]+C:i32[tx]-C:i32[tx];];\n",
                   "one-type");
}

}  // namespace
}  // namespace steptp::testing
