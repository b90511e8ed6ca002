#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kHead = "@input A f32[8]\n@input C f32[8]\n@input D f32[8]\n@output E f32[8]\n";
constexpr std::string_view kWhole = R"({"at":"0/0:right","form":"full"})";

void factors(std::string_view sum, std::string_view product, std::string_view choice = kWhole) {
  expect_rewrite("factorization", std::string(kHead) + "B(tx,8)[E[tx]=" + std::string(sum) + ";];", choice,
                 "B(tx,8)[E[tx]=" + std::string(product) + ";];");
}

TEST(Factorization, Polynomials) {
  factors("A[tx]**2+2*A[tx]*C[tx]+C[tx]**2", "(A[tx]+C[tx])**2");
  factors("A[tx]*A[tx]-C[tx]*C[tx]", "(A[tx]+C[tx])*(A[tx]-C[tx])");
  factors("A[tx]*C[tx]*D[tx]+A[tx]*C[tx]", "A[tx]*C[tx]*(D[tx]+1)");
  factors("2*A[tx]-2*C[tx]", "2*(A[tx]-C[tx])");
  factors("A[tx]*exp(C[tx])+D[tx]*exp(C[tx])", "exp(C[tx])*(A[tx]+D[tx])");
}

// The literal of the text is the literal of the result.
TEST(Factorization, Decimals) {
  factors("A[tx]+0.044715*A[tx]**3", "A[tx]*(0.044715*A[tx]**2+1)");
  factors("0.5*A[tx]+0.5*A[tx]*erf(C[tx])", "0.5*A[tx]*(erf(C[tx])+1)");
}

TEST(Factorization, SquareFree) {
  const std::string sum = "A[tx]**4-A[tx]**2";
  factors(sum, "A[tx]**2*(A[tx]+1)*(A[tx]-1)");
  factors(sum, "A[tx]**2*(A[tx]**2-1)", R"({"at":"0/0:right","form":"square-free"})");
}

// The square of a difference is not multiplied out on the way.
TEST(Factorization, KeepsSquaresOfDifferences) {
  factors("D[tx]*(A[tx]-C[tx])**2+D[tx]", "D[tx]*((A[tx]-C[tx])**2+1)");
}

// A tensor at two subscripts is two values: this is not zero.
TEST(Factorization, SubscriptsCount) {
  expect_rewrite("factorization",
                 "@input A f32[9]\n@input C f32[8]\n@output E f32[8]\n"
                 "B(tx,8)[E[tx]=A[tx+1]*C[tx]-A[tx]*C[tx];];\n",
                 kWhole, "B(tx,8)[E[tx]=C[tx]*(A[tx+1]-A[tx]);];");
}

// exp(A-C) is one value: it is not taken apart.
TEST(Factorization, CallsAreWhole) {
  factors("D[tx]*exp(A[tx]-C[tx])+exp(A[tx]-C[tx])", "exp(A[tx]-C[tx])*(D[tx]+1)");
  expect_no_choice("factorization", std::string(kHead) + "B(tx,8)[E[tx]=exp(A[tx]-C[tx])+exp(A[tx]);];", "matches");
}

TEST(Factorization, BesideAnAccumulator) {
  expect_rewrite("factorization",
                 "@input A f32[8,6]\n@input C f32[8,6]\n@output E f32[8]\n"
                 "B(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]*C[tx,a]+A[tx,a]*2;];\n",
                 kWhole, "B(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]*(C[tx,a]+2);];");
  expect_no_choice("factorization",
                   "@input A f32[8,6]\n@output E f32[8]\nB(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]*A[tx,a];];\n",
                   "accumulator");
}

TEST(Factorization, Refusals) {
  const auto none = [](const std::string& text, std::string_view why) { expect_no_choice("factorization", text, why); };
  none(std::string(kHead) + "B(tx,8)[E[tx]=A[tx]*C[tx]+D[tx];];", "matches");
  none(std::string(kHead) + "B(tx,8)[E[tx]=3*A[tx]+1.5*C[tx];];", "matches");
  none(std::string(kHead) + "B(tx,8)[E[tx]=A[tx]/C[tx]+A[tx]*D[tx];];", "non-zero");
  none(std::string(kHead) + "B(tx,8)[E[tx]=A[tx]*log(C[tx])+A[tx];];", "finite");
  none("@input A i32[8]\n@output E i32[8]\nB(tx,8)[E:i32[tx]=A:i32[tx]*A:i32[tx]+A:i32[tx];];\n", "one-type");
  none("@input A f32[8]\n@output E i32[8]\nB(tx,8)[E:i32[tx]=A[tx]*A[tx]+A[tx];];\n", "value-only");
}

}  // namespace
}  // namespace steptp::testing
