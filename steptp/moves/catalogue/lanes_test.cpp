#include <gtest/gtest.h>

#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kSoftmax = R"(
@input A f32[6,12]
@output C f32[6,12]
B(tx,6)L(a,12)[D[tx]=max(D[tx],A[tx,a]);];B(tx,6)L(a,12)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,6)L(a,12)[C[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];
)";

TEST(LanesMove, ASoftmaxFoldsFourElementsSideBySide) {
  expect_move("lanes", kSoftmax, R"({"at":"0","expressions":3,"lanes":4,"sums":"plain"})", "");
}

TEST(LanesMove, RefusesWhatIsNoRowOrHasTooFewElements) {
  expect_move_refusal("lanes", kSoftmax, R"({"at":"0","expressions":4,"lanes":4,"sums":"plain"})", "chain",
                      "3 expressions");
  expect_move_refusal("lanes", kSoftmax, R"({"at":"2","expressions":1,"lanes":4,"sums":"plain"})", "chain",
                      "none of the expressions folds");
  expect_move_refusal("lanes", kSoftmax, R"({"at":"0","expressions":3,"lanes":12,"sums":"plain"})", "lanes",
                      "12 lanes, in rows of 12");
}

}  // namespace
}  // namespace steptp::testing
