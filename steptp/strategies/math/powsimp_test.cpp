#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(Powsimp, Exponents) {
  const auto combines = [](std::string_view product, std::string_view by, std::string_view power) {
    expect_rewrite("powsimp", vector_program(product),
                   R"({"at":"0/0:right","law":"exponents","by":")" + std::string(by) + "\"}", vector_nest(power));
  };
  combines("A[tx]*A[tx]", "0/0:right.0", "A[tx]**2");
  combines("2*A[tx]*C[tx]*A[tx]**2", "0/0:right.1", "2*A[tx]**3*C[tx]");
  combines("C[tx]/D[tx]/D[tx]", "0/0:right.1", "C[tx]/D[tx]**2");
}

TEST(Powsimp, Exponentials) {
  const auto combines = [](std::string_view product, std::string_view by, std::string_view power) {
    expect_rewrite("powsimp", vector_program(product),
                   R"({"at":"0/0:right","law":"exponentials","by":")" + std::string(by) + "\"}", vector_nest(power));
  };
  combines("exp(A[tx])*exp(C[tx])", "0/0:right.0", "exp(A[tx]+C[tx])");
  combines("2*exp(A[tx]-C[tx])*D[tx]/exp(C[tx])", "0/0:right.1", "2*exp(A[tx]-C[tx]-C[tx])*D[tx]");
  combines("exp(A[tx])**2", "0/0:right.0", "exp(2*A[tx])");
}

TEST(Powsimp, BasesAndRoots) {
  expect_rewrite("powsimp", vector_program("A[tx]**2*C[tx]**2"),
                 R"({"at":"0/0:right","law":"bases","by":"0/0:right.0.0"})", vector_nest("(A[tx]*C[tx])**2"));
  expect_rewrite("powsimp", vector_program("sqrt(D[tx])*sqrt(F[tx])"),
                 R"({"at":"0/0:right","law":"roots","by":"0/0:right.0"})", vector_nest("sqrt(D[tx]*F[tx])"));
  expect_rewrite("powsimp", vector_program("sqrt(D[tx])*A[tx]*sqrt(D[tx])"),
                 R"({"at":"0/0:right","law":"roots","by":"0/0:right.0"})", vector_nest("D[tx]*A[tx]"));
  expect_rewrite("powsimp", vector_program("sqrt(D[tx]**2)"), R"({"at":"0/0:right","law":"nested","by":"0/0:right.0"})",
                 vector_nest("D[tx]"));
  expect_rewrite("powsimp", vector_program("(A[tx]**2)**3"), R"({"at":"0/0:right","law":"nested","by":"0/0:right.0"})",
                 vector_nest("A[tx]**6"));
}

// The root of a square is the absolute value: without the sign there is no law.
TEST(Powsimp, NeedsTheSign) {
  const auto refused = [](std::string_view right, std::string_view law, std::string_view by, std::string_view why) {
    expect_refusal("powsimp", vector_program(right),
                   R"({"at":"0/0:right","law":")" + std::string(law) + R"(","by":")" + std::string(by) + "\"}", why);
  };
  refused("sqrt(A[tx]**2)", "nested", "0/0:right.0", "sign");
  refused("(A[tx]**2)**0.5", "nested", "0/0:right.0", "sign");
  refused("(A[tx]**0.5)**2", "nested", "0/0:right.0", "sign");
  refused("sqrt(A[tx])*sqrt(C[tx])", "roots", "0/0:right.0", "sign");
  refused("sqrt(A[tx])*sqrt(A[tx])", "roots", "0/0:right.0", "sign");
  refused("D[tx]/A[tx]**2/C[tx]**2", "bases", "0/0:right.1.0", "non-zero");
  refused("log(A[tx])**2*C[tx]**2", "bases", "0/0:right.0.0", "finite");
  refused("A[tx]*C[tx]", "exponents", "0/0:right.0", "matches");
}

TEST(Powsimp, SubscriptsCount) {
  expect_no_choice("powsimp", "@input A f32[9]\n@output E f32[8]\nB(tx,8)[E[tx]=A[tx]*A[tx+1];];\n", "matches");
}

TEST(Powsimp, Refusals) {
  expect_no_choice("powsimp", "@input A i32[8]\n@output E i32[8]\nB(tx,8)[E:i32[tx]=A:i32[tx]*A:i32[tx];];\n",
                   "one-type");
  expect_no_choice("powsimp", vector_program("floor(A[tx]*A[tx])"), "value-only");
  expect_no_choice("powsimp", "@input A f32[8]\n@output E f32\nL(a,8)[E[]=E[]*A[a];];\n", "accumulator");
}

}  // namespace
}  // namespace steptp::testing
