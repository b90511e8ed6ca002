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
  expect_move("lanes", kSoftmax, R"({"at":"0","expressions":3,"lanes":4,"sums":"plain"})",
              "B(bx,6)[L(d,3)L(a,4)[H:l[a]=max(H:l[a],A[bx,d*4+a]);];L(a,4)[F:l[]=max(F:l[],H:l[a]);];"
              "L(d,3)L(a,4)[D:l[a]=D:l[a]+exp(A[bx,d*4+a]-F:l[]);];L(a,4)[G:l[]=G:l[]+D:l[a];];"
              "L(d,3)L(a,4)[C[bx,d*4+a]=exp(A[bx,d*4+a]-F:l[])/G:l[];];];");
}

TEST(LanesMove, RowsOfSeveralLoopsHaveARestAndHalvesAreFoldedInFloats) {
  expect_move("lanes", R"(
@input A f16[6,2,5]
@output C f16[6]
B(tx,6)L(a,2)L(c,5)[C:f16[tx]=C:f16[tx]+A:f16[tx,a,c];];
)",
              R"({"at":"0","expressions":1,"lanes":4,"sums":"wide"})",
              "B(bx,6)[L(a,3)L(f,4)?{a*4+f<10}[E:l[f]=E:l[f]+A:f16[bx,(a*4+f)//5,(a*4+f)%5];];"
              "L(f,4)[D:l[]=D:l[]+E:l[f];];C:f16[bx]=D:l[];];");
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
