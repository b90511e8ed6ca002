#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kHead =
    "@input A f32[8]\n@input C f32[8]\n@input D f32[8] positive\n@input F f32[8] positive\n@input G f32[8] [-4,4)\n"
    "@input H f32[8] [-4,4)\n@output E f32[8]\n";

std::string program(std::string_view right) {
  return std::string(kHead) + "B(tx,8)[E[tx]=" + std::string(right) + ";];\n";
}
std::string after(std::string_view right) { return "B(tx,8)[E[tx]=" + std::string(right) + ";];"; }

void combines(std::string_view right, std::string_view wanted) {
  expect_rewrite("logsimp", program(right), R"({"at":"0/0:right"})", after(wanted));
}
void refuses(std::string_view right, std::string_view why) {
  expect_refusal("logsimp", program(right), R"({"at":"0/0:right"})", why);
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
  expect_rewrite("logsimp", program("if_then_else(A[tx]>0,2*log(A[tx]),0)"), R"({"at":"0/0:right.1"})",
                 after("if_then_else(A[tx]>0,log(A[tx]**2),0)"));
  expect_refusal("logsimp", program("if_then_else(A[tx]>0,0,2*log(A[tx]))"), R"({"at":"0/0:right.2"})", "sign");
}

TEST(Logsimp, Refusals) {
  refuses("log(1+exp(A[tx]))+log(1+exp(C[tx]))", "overflow");
  refuses("log(D[tx])+A[tx]", "matches");
  refuses("0.5*log(D[tx])", "matches");
  expect_no_choice("logsimp",
                   "@input A f16[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=log(A:f16[tx])+log(D[tx]);];\n",
                   "one-type");
  expect_no_choice("logsimp", program("round(log(D[tx])+log(F[tx]))"), "value-only");
  expect_no_choice("logsimp", "@input D f32[8] positive\n@output E f32\nL(a,8)[E[]=E[]+log(D[a]);];\n", "accumulator");
}

}  // namespace
}  // namespace steptp::testing
