#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(Together, OneQuotient) {
  const auto joins = [](std::string_view sum, std::string_view quotient) {
    expect_rewrite("together", vector_program(sum), R"({"at":"0/0:right"})", vector_nest(quotient));
  };
  joins("1/D[tx]+1/F[tx]", "(D[tx]+F[tx])/(D[tx]*F[tx])");
  joins("A[tx]-C[tx]/F[tx]", "(A[tx]*F[tx]-C[tx])/F[tx]");
  joins("A[tx]/(D[tx]*F[tx])+C[tx]/D[tx]**2", "(A[tx]*D[tx]+C[tx]*F[tx])/(D[tx]**2*F[tx])");
  joins("A[tx]/sqrt(D[tx]+1e-05)+0.5", "(A[tx]+0.5*sqrt(D[tx]+1e-05))/sqrt(D[tx]+1e-05)");
}

TEST(Together, BesideAnAccumulator) {
  expect_rewrite("together",
                 "@input A f32[8,6]\n@input D f32[8,6] positive\n@output E f32[8]\n"
                 "B(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]/D[tx,a]+1;];\n",
                 R"({"at":"0/0:right"})", "B(tx,8)L(a,6)[E[tx]=E[tx]+(A[tx,a]+D[tx,a])/D[tx,a];];");
  expect_no_choice("together",
                   "@input A f32[8,6]\n@input D f32[8,6] positive\n@output E f32[8]\n"
                   "B(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]/D[tx,a];];\n",
                   "accumulator");
}

TEST(Together, Refusals) {
  const auto none = [](std::string_view right, std::string_view why) {
    expect_no_choice("together", vector_program(right), why);
  };
  none("A[tx]/2+C[tx]", "matches");
  none("1/A[tx]+1/D[tx]", "non-zero");
  none("log(A[tx])/D[tx]+1", "finite");
  // Both exponentials may be large: each quotient is then zero, and inf/inf is not.
  none("1/(1+exp(-A[tx]))+1/(1+exp(-C[tx]))", "overflow");
  none("if_then_else(1/D[tx]+1<2,A[tx],C[tx])", "value-only");
  expect_no_choice("together",
                   "@input A f16[8]\n@input D f32[8] positive\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=A:f16[tx]/D[tx]+1;];\n",
                   "one-type");
}

}  // namespace
}  // namespace steptp::testing
