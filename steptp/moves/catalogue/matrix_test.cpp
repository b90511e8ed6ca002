#include <gtest/gtest.h>

#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kProgram = R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];
)";

TEST(MatrixMove, MakesSteps) {
  expect_move("matrix", kProgram, R"({"at":"0","times":3})", "B(tx,8)L(c,2)U(a,3)[D[tx,c*3+a]=A[tx,c*3+a]*2;];");
}

TEST(MatrixMove, Refuses) {
  expect_move_refusal("matrix", kProgram, R"({"at":"1","times":3})", "loop");
  expect_move_refusal("matrix", kProgram, R"({"at":"0","times":7})", "step", "loop_split refused [divides]");
}

}  // namespace
}  // namespace steptp::testing
