#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(Collect, ByAFactor) {
  constexpr std::string_view kThree =
      "@input A f32[8]\n@input C f32[8]\n@input D f32[8]\n@output E f32[8]\n"
      "B(tx,8)[E[tx]=A[tx]*C[tx]+A[tx]*D[tx]+C[tx];];\n";
  expect_rewrite("collect", kThree, R"({"at":"0/0:right","by":"0/0:right.0.0"})",
                 "B(tx,8)[E[tx]=A[tx]*(C[tx]+D[tx])+C[tx];];");
  expect_rewrite("collect", kThree, R"({"at":"0/0:right","by":"0/0:right.0.1"})",
                 "B(tx,8)[E[tx]=C[tx]*(A[tx]+1)+A[tx]*D[tx];];");
  EXPECT_EQ(listed("collect", kThree, true).size(), 2U);
}

// Literals stay as they were; numbers are combined only where nothing else is left, and only exactly.
TEST(Collect, Numbers) {
  constexpr std::string_view kHead = "@input A f32[8]\n@input C f32[8]\n@output E f32[8]\n";
  expect_rewrite("collect", std::string(kHead) + "B(tx,8)[E[tx]=0.044715*A[tx]*C[tx]-1e-05*A[tx];];",
                 R"({"at":"0/0:right","by":"0/0:right.0.1"})", "B(tx,8)[E[tx]=A[tx]*(0.044715*C[tx]-1e-05);];");
  expect_rewrite("collect", std::string(kHead) + "B(tx,8)[E[tx]=0.1*A[tx]+C[tx]+A[tx]*0.2;];",
                 R"({"at":"0/0:right","by":"0/0:right.0.1"})", "B(tx,8)[E[tx]=0.3*A[tx]+C[tx];];");
}

// A tensor at two subscripts is two values.
TEST(Collect, SubscriptsCount) {
  expect_no_choice("collect",
                   "@input A f32[9]\n@input C f32[8]\n@input D f32[8]\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=A[tx+1]*C[tx]-A[tx]*D[tx];];\n",
                   "matches");
  expect_rewrite("collect",
                 "@input A f32[9]\n@input C f32[8]\n@output E f32[8]\n"
                 "B(tx,8)[E[tx]=A[tx+1]*C[tx]-A[tx]*C[tx];];\n",
                 R"({"at":"0/0:right","by":"0/0:right.0.1"})", "B(tx,8)[E[tx]=C[tx]*(A[tx+1]-A[tx]);];");
}

// The accumulator stays what it is: the terms beside it are collected.
TEST(Collect, BesideAnAccumulator) {
  constexpr std::string_view kHead = "@input A f32[8,6]\n@input C f32[8,6]\n@output E f32[8]\n";
  expect_rewrite("collect", std::string(kHead) + "B(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]*C[tx,a]+A[tx,a]*2;];",
                 R"({"at":"0/0:right","by":"0/0:right.1.0"})", "B(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]*(C[tx,a]+2);];");
  expect_no_choice("collect", std::string(kHead) + "B(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]*C[tx,a];];", "accumulator");
  expect_rewrite("collect",
                 "@input A f32[8,6]\n@input C f32[8,6]\n@output E f32[8]\n"
                 "B(tx,8)L(a,6)[E[tx]=max(E[tx],A[tx,a]*C[tx,a]+A[tx,a]*2);];\n",
                 R"({"at":"0/0:right.1","by":"0/0:right.1.0.0"})",
                 "B(tx,8)L(a,6)[E[tx]=max(E[tx],A[tx,a]*(C[tx,a]+2));];");
}

TEST(Collect, Refusals) {
  // Integers wrap, and mixed types round where they did not.
  expect_no_choice("collect",
                   "@input A i32[8]\n@input C i32[8]\n@output E i32[8]\n"
                   "B(tx,8)[E:i32[tx]=A:i32[tx]*C:i32[tx]+A:i32[tx]*2;];\n",
                   "one-type");
  expect_no_choice("collect",
                   "@input A f32[8]\n@input C f16[8]\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=A[tx]*C:f16[tx]+A[tx]*2;];\n",
                   "one-type");
  expect_no_choice("collect",
                   "@input A f32[8]\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=if_then_else(A[tx]*A[tx]+A[tx]*tx<1,A[tx],0);];\n",
                   "value-only");
  // -inf*0 is undefined before and not after, or the other way round.
  expect_no_choice("collect",
                   "@input A f32[8]\n@input C f32[8]\n@output E f32[8]\n"
                   "B(tx,8)[D[tx]=if_then_else(A[tx]<0,-inf,1);E[tx]=D[tx]*C[tx]+D[tx]*2;];\n",
                   "finite");
  expect_no_choice("collect",
                   "@input A f32[8]\n@input C f32[8]\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=A[tx]/C[tx]*2+A[tx]*C[tx];];\n",
                   "non-zero");
  expect_refusal("collect", "@input A f32[8]\n@output E f32[8]\nB(tx,8)[E[tx]=A[tx]*2+1;];\n",
                 R"({"at":"0/0:right","by":"0/0:right.0.0"})", "matches");
}

}  // namespace
}  // namespace steptp::testing
