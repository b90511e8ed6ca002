#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kProgram = R"(
@input A f32[8]
@output D f32[8]
B(tx,8)L(a,1)[D[tx]=A[tx+a]*2;];
)";

TEST(PrefixFold, Rewrites) {
  expect_rewrite("prefix_fold", kProgram, R"({"at":"0:loop[1]"})", "B(tx,8)U(a,1)[D[tx]=A[tx+a]*2;];");
}

TEST(PrefixFold, Refuses) {
  expect_refusal("prefix_fold", kProgram, R"({"at":"0:loop[0]"})", "has-loops");
}

}  // namespace
}  // namespace steptp::testing
