#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

void expands(std::string_view right, std::string_view wanted) {
  expect_rewrite("expand_log", vector_program(right), R"({"at":"0/0:right"})", vector_nest(wanted));
}
void refuses(std::string_view right, std::string_view why) {
  expect_refusal("expand_log", vector_program(right), R"({"at":"0/0:right"})", why);
}

TEST(ExpandLog, Products) {
  expands("log(D[tx]*F[tx])", "log(D[tx])+log(F[tx])");
  expands("log(2*D[tx]/F[tx]**3)", "log(2)+log(D[tx])-3*log(F[tx])");
  expands("log(sqrt(D[tx]))", "0.5*log(D[tx])");
  expands("log(exp(A[tx]-C[tx])/D[tx])", "A[tx]-C[tx]-log(D[tx])");
}

TEST(ExpandLog, NeedsPositiveFactors) {
  refuses("log(A[tx]*C[tx])", "sign");
  refuses("log(A[tx]**2)", "sign");
  refuses("log(-D[tx]*A[tx])", "sign");
}

TEST(ExpandLog, Refusals) {
  refuses("log(D[tx]+F[tx])", "matches");
  expect_no_choice("expand_log",
                   "@input A f16[8] positive\n@input D f32[8] positive\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=log(A:f16[tx]*D[tx]);];\n",
                   "one-type");
  expect_no_choice("expand_log", vector_program("round(log(D[tx]*F[tx]))"), "value-only");
  expect_no_choice("expand_log", "@input D f32[8] positive\n@output E f32\nL(a,8)[E[]=E[]+D[a];];\n", "accumulator");
}

}  // namespace
}  // namespace steptp::testing
