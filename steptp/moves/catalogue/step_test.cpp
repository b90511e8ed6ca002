#include <gtest/gtest.h>

#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kProgram = R"(
@input A f32[8,6]
@output D f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];
)";

TEST(StepMove, IsAnyStepOfAStrategy) {
  expect_move("step", kProgram, R"({"at":"0:loop[1]","strategy":"loop_split","inner":3,"kind":"inner"})",
              "B(tx,8)L(c,2)L(a,3)[D[tx,c*3+a]=A[tx,c*3+a]*2;];");
}

TEST(StepMove, RefusesWhatTheStrategyRefuses) {
  expect_move_refusal("step", kProgram, R"({"at":"0:loop[1]","strategy":"loop_split","inner":7,"kind":"inner"})",
                      "step", "loop_split refused [divides]");
  expect_move_refusal("step", kProgram, R"({"at":"0:loop[1]","strategy":"loop_splt","inner":7})", "step",
                      "did you mean loop_split");
  expect_move_refusal("step", kProgram, R"({"at":"0:loop[1]"})", "choice", "the parameter \"strategy\" is missing");
}

}  // namespace
}  // namespace steptp::testing
