#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kHead =
    "@input A f32[8]\n@input C f32[8]\n@input D f32[8] positive\n@input F f32[8] positive\n@output E f32[8]\n";

void expands(std::string_view product, std::string_view sum) {
  expect_rewrite("expand_factorization", std::string(kHead) + "B(tx,8)[E[tx]=" + std::string(product) + ";];",
                 R"({"at":"0/0:right"})", "B(tx,8)[E[tx]=" + std::string(sum) + ";];");
}

TEST(ExpandFactorization, Products) {
  expands("A[tx]*(1+C[tx])", "A[tx]*C[tx]+A[tx]");
  expands("A[tx]*0.5*(1+erf(A[tx]/sqrt(2)))", "0.5*A[tx]*erf(A[tx]/sqrt(2))+0.5*A[tx]");
  expands("(D[tx]+F[tx])**2", "D[tx]**2+2*D[tx]*F[tx]+F[tx]**2");
  expands("(D[tx]+1)*(F[tx]+2)/D[tx]", "D[tx]*F[tx]/D[tx]+2*D[tx]/D[tx]+F[tx]/D[tx]+2/D[tx]");
}

// Once (A-C)**2 is multiplied out, nothing is left but rounding errors where A and C are close.
TEST(ExpandFactorization, RefusesSquaresOfDifferences) {
  for (const char* text : {"(A[tx]-C[tx])**2", "(A[tx]-C[tx])*(A[tx]-C[tx])", "(A[tx]+C[tx])*(A[tx]-C[tx])",
                           "D[tx]*(F[tx]+(A[tx]-C[tx])**2)"}) {
    expect_refusal("expand_factorization", std::string(kHead) + "B(tx,8)[E[tx]=" + text + ";];",
                   R"({"at":"0/0:right"})", "accuracy");
  }
}

TEST(ExpandFactorization, Refusals) {
  const auto none = [](const std::string& text, std::string_view why) {
    expect_no_choice("expand_factorization", text, why);
  };
  none(std::string(kHead) + "B(tx,8)[E[tx]=A[tx]*C[tx]+1;];", "matches");
  none(std::string(kHead) + "B(tx,8)[E[tx]=(A[tx]+C[tx])/D[tx];];", "matches");
  none(std::string(kHead) + "B(tx,8)[E[tx]=D[tx]*(A[tx]+1)/C[tx];];", "non-zero");
  none(std::string(kHead) + "B(tx,8)[E[tx]=D[tx]*(A[tx]+sqrt(C[tx]));];", "finite");
  none("@input A i32[8]\n@output E i32[8]\nB(tx,8)[E:i32[tx]=A:i32[tx]*(A:i32[tx]+1);];\n", "one-type");
  none("@input A f32[8]\n@output E i32[8]\nB(tx,8)[E:i32[tx]=A[tx]*(A[tx]+1);];\n", "value-only");
  none("@input A f32[8,6]\n@output E f32[8]\nB(tx,8)L(a,6)[E[tx]=E[tx]*(A[tx,a]+1);];\n", "accumulator");
}

}  // namespace
}  // namespace steptp::testing
