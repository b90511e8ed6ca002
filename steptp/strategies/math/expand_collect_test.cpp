#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kHead = "@input A f32[8]\n@input C f32[8]\n@input D f32[8]\n@output E f32[8]\n";

TEST(ExpandCollect, OneSum) {
  expect_rewrite("expand_collect", std::string(kHead) + "B(tx,8)[E[tx]=A[tx]*(C[tx]+D[tx])+C[tx];];",
                 R"({"at":"0/0:right.0","by":"0/0:right.0.1"})", "B(tx,8)[E[tx]=A[tx]*C[tx]+A[tx]*D[tx]+C[tx];];");
  expect_rewrite("expand_collect", std::string(kHead) + "B(tx,8)[E[tx]=A[tx]*0.5*(1-erf(C[tx]/sqrt(2)));];",
                 R"({"at":"0/0:right","by":"0/0:right.2"})", "B(tx,8)[E[tx]=A[tx]*0.5-A[tx]*0.5*erf(C[tx]/sqrt(2));];");
}

TEST(ExpandCollect, OneOfSeveral) {
  expect_rewrite("expand_collect", std::string(kHead) + "B(tx,8)[E[tx]=(A[tx]+1)*(C[tx]-D[tx]);];",
                 R"({"at":"0/0:right","by":"0/0:right.1"})", "B(tx,8)[E[tx]=(A[tx]+1)*C[tx]-(A[tx]+1)*D[tx];];");
}

TEST(ExpandCollect, InsideAnAccumulation) {
  expect_rewrite("expand_collect",
                 "@input A f32[8,6]\n@input C f32[8,6]\n@output E f32[8]\n"
                 "B(tx,8)L(a,6)[E[tx]=E[tx]+A[tx,a]*(C[tx,a]+1);];\n",
                 R"({"at":"0/0:right.1","by":"0/0:right.1.1"})",
                 "B(tx,8)L(a,6)[E[tx]=E[tx]+(A[tx,a]*C[tx,a]+A[tx,a]);];");
}

TEST(ExpandCollect, Refusals) {
  const auto none = [](const std::string& text, std::string_view why) {
    expect_no_choice("expand_collect", text, why);
  };
  none(std::string(kHead) + "B(tx,8)[E[tx]=A[tx]*C[tx];];", "matches");
  none(std::string(kHead) + "B(tx,8)[E[tx]=(A[tx]+D[tx])/C[tx];];", "matches");
  none(std::string(kHead) + "B(tx,8)[E[tx]=A[tx]*(C[tx]+1)/D[tx];];", "non-zero");
  none(std::string(kHead) + "B(tx,8)[E[tx]=A[tx]*(C[tx]+inf);];", "finite");
  none("@input A i32[8]\n@output E i32[8]\nB(tx,8)[E:i32[tx]=A:i32[tx]*(A:i32[tx]+1);];\n", "one-type");
  none("@input A f32[8]\n@output E f32[8]\nB(tx,8)[E[tx]=floor(A[tx]*(A[tx]+1));];\n", "value-only");
  none("@input A f32[8,6]\n@output E f32[8]\nB(tx,8)L(a,6)[E[tx]=E[tx]*(A[tx,a]+1);];\n", "accumulator");
}

}  // namespace
}  // namespace steptp::testing
