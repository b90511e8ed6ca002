#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

void combines(std::string_view right, std::string_view wanted) {
  expect_rewrite("logsimp", vector_program(right), R"({"at":"0/0:right"})", vector_nest(wanted));
}
void refuses(std::string_view right, std::string_view why) {
  expect_refusal("logsimp", vector_program(right), R"({"at":"0/0:right"})", why);
}

TEST(Logsimp, Sums) {
  combines("log(D[tx])+log(F[tx])", "log(D[tx]*F[tx])");
  combines("A[tx]+log(D[tx])-log(F[tx])", "A[tx]+log(D[tx]/F[tx])");
  combines("2*log(D[tx])", "log(D[tx]**2)");
  combines("log(D[tx])+C[tx]-3*log(F[tx]+1)", "log(D[tx]/(F[tx]+1)**3)+C[tx]");
}

// Two negative numbers have a product with a logarithm.
TEST(Logsimp, NeedsPositiveArguments) {
  refuses("log(A[tx])+log(C[tx])", "sign");
  refuses("log(D[tx])+log(A[tx])", "sign");
  refuses("2*log(A[tx])", "sign");
}

// A condition is a fact: this branch is taken where A is positive.
TEST(Logsimp, ConditionsCount) {
  expect_rewrite("logsimp", vector_program("if_then_else(A[tx]>0,2*log(A[tx]),0)"), R"({"at":"0/0:right.1"})",
                 vector_nest("if_then_else(A[tx]>0,log(A[tx]**2),0)"));
  expect_refusal("logsimp", vector_program("if_then_else(A[tx]>0,0,2*log(A[tx]))"), R"({"at":"0/0:right.2"})", "sign");
}

TEST(Logsimp, Refusals) {
  refuses("log(1+exp(A[tx]))+log(1+exp(C[tx]))", "overflow");
  refuses("log(D[tx])+A[tx]", "matches");
  refuses("0.5*log(D[tx])", "matches");
  expect_no_choice("logsimp",
                   "@input A f16[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=log(A:f16[tx])+log(D[tx]);];\n",
                   "one-type");
  expect_no_choice("logsimp", vector_program("round(log(D[tx])+log(F[tx]))"), "value-only");
  expect_no_choice("logsimp", "@input D f32[8] positive\n@output E f32\nL(a,8)[E[]=E[]+log(D[a]);];\n", "accumulator");
}

}  // namespace
}  // namespace steptp::testing
