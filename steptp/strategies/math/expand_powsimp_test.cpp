#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

void takes_apart(std::string_view right, std::string_view law, int term, std::string_view wanted) {
  expect_rewrite("expand_powsimp", vector_program(right),
                 R"({"at":"0/0:right","law":")" + std::string(law) + R"(","term":)" + std::to_string(term) + "}",
                 vector_nest(wanted));
}
void refuses(std::string_view right, std::string_view law, int term, std::string_view why) {
  expect_refusal("expand_powsimp", vector_program(right),
                 R"({"at":"0/0:right","law":")" + std::string(law) + R"(","term":)" + std::to_string(term) + "}", why);
}

TEST(ExpandPowsimp, Powers) {
  takes_apart("A[tx]**2", "power", 1, "A[tx]*A[tx]");
  takes_apart("A[tx]**5", "power", 2, "A[tx]**2*A[tx]**3");
  takes_apart("(A[tx]*C[tx]/D[tx])**3", "product", 0, "A[tx]**3*C[tx]**3/D[tx]**3");
  takes_apart("sqrt(D[tx]*F[tx])", "root", 0, "sqrt(D[tx])*sqrt(F[tx])");
}

// Neither exponential may leave the range: bounds say so, or that both terms have one sign.
TEST(ExpandPowsimp, Exponentials) {
  takes_apart("exp(G[tx]+H[tx])", "exponential", 0, "exp(G[tx])*exp(H[tx])");
  takes_apart("exp(G[tx]-H[tx]+1)", "exponential", 1, "exp(-H[tx])*exp(G[tx]+1)");
  takes_apart("exp(-D[tx]-F[tx])", "exponential", 0, "exp(-D[tx])*exp(-F[tx])");
  takes_apart("exp(2*A[tx])", "multiple", 0, "exp(A[tx])**2");
  refuses("exp(A[tx]-C[tx])", "exponential", 0, "overflow");
  refuses("exp(D[tx]-F[tx])", "exponential", 0, "overflow");
  // 60 and -60 are out of the question in f16.
  expect_refusal("expand_powsimp",
                 "@input A f16[8] [0,60)\n@input C f16[8] [0,60)\n@output E f16[8]\n"
                 "B(tx,8)[E:f16[tx]=exp(A:f16[tx]-C:f16[tx]);];\n",
                 R"({"at":"0/0:right","law":"exponential","term":0})", "overflow");
  expect_rewrite("expand_powsimp",
                 "@input A f32[8] [0,60)\n@input C f32[8] [0,60)\n@output E f32[8]\n"
                 "B(tx,8)[E[tx]=exp(A[tx]-C[tx]);];\n",
                 R"({"at":"0/0:right","law":"exponential","term":0})", "B(tx,8)[E[tx]=exp(A[tx])*exp(-C[tx]);];");
}

TEST(ExpandPowsimp, Refusals) {
  refuses("sqrt(A[tx]*D[tx])", "root", 0, "sign");
  refuses("(A[tx]/C[tx])**2", "product", 0, "non-zero");
  refuses("(A[tx]*log(C[tx]))**2", "product", 0, "finite");
  refuses("A[tx]*C[tx]", "power", 1, "matches");
  expect_no_choice("expand_powsimp", "@input A i32[8]\n@output E i32[8]\nB(tx,8)[E:i32[tx]=A:i32[tx]**2;];\n",
                   "one-type");
  expect_no_choice("expand_powsimp", vector_program("floor(A[tx]**2)"), "value-only");
  expect_no_choice("expand_powsimp", "@input A f32[8]\n@output E f32\nL(a,8)[E[]=E[]+A[a];];\n", "accumulator");
}

}  // namespace
}  // namespace steptp::testing
