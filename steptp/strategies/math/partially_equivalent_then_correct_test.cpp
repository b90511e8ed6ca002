#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kName = "partially_equivalent_then_correct";
constexpr std::string_view kChoice = R"({"at":"1","with":"3","dimension":1})";

constexpr std::string_view kHeader = R"(
@input A f32[2,6]
@input C f32[2,6]
@param G f32[3]
@output D f32[2,6]
@output E f32[2,6]
)";
constexpr std::string_view kFirst = R"(B(tx,2)L(c,8)[H[tx,c]=if_then_else(1<=c<7,A[tx,c-1],0);];
B(tx,2)L(c,6)L(f,3)[D[tx,c]=D[tx,c]+H[tx,c+f]*G[f];];)";
constexpr std::string_view kSecond = R"(B(tx,2)L(d,8)[I[tx,d]=if_then_else(d>0&d-1<6,C[tx,d-1],0);];
B(tx,2)L(f,6)L(c,3)[E[tx,f]=E[tx,f]+G[c]*I[tx,c+f];];)";

TEST(PartiallyEquivalent, OtherNamesAndOrders) {
  expect_rewrite(kName, concat(kHeader, kFirst, kSecond), kChoice, R"(
B(tx,2)L(c,6)[J[tx,c]=A[tx,c];J[tx,c+6]=C[tx,c];];
B(tx,2)L(c,14)[K[tx,c]=if_then_else(1<=c<13,J[tx,c-1],0);];
B(tx,2)L(c,12)L(f,3)[M[tx,c]=M[tx,c]+K[tx,c+f]*G[f];];
B(tx,2)L(c,6)[D[tx,c]=M[tx,c];E[tx,c]=M[tx,c+6];];
B(tx,2)L(c,8)[H[tx,c]=if_then_else(1<=c<7,A[tx,c-1],0);];
B(tx,2)L(d,8)[I[tx,d]=if_then_else(d>0&d-1<6,C[tx,d-1],0);];
B(tx,2)L(c,1)[D[tx,c+5]=0;L(f,3)[D[tx,c+5]=D[tx,c+5]+H[tx,c+5+f]*G[f];];];
B(tx,2)L(f,1)[E[tx,f]=0;L(c,3)[E[tx,f]=E[tx,f]+G[c]*I[tx,c+f];];];)");
}

// Stride 2, dilation 3, more padding in front than behind, and a maximum: of D two, of E two are computed again.
TEST(PartiallyEquivalent, StridedDilatedPooling) {
  expect_rewrite(kName, R"(
@input A f32[2,8]
@input C f32[2,8]
@output D f32[2,5]
@output E f32[2,5]
B(tx,2)L(c,12)[H[tx,c]=if_then_else(3<=c<11,A[tx,c-3],-inf);];
B(tx,2)L(c,5)L(f,2)[D[tx,c]=max(D[tx,c],H[tx,c*2+f*3]);];
B(tx,2)L(c,12)[I[tx,c]=if_then_else(3<=c<11,C[tx,c-3],-inf);];
B(tx,2)L(c,5)L(f,2)[E[tx,c]=max(E[tx,c],I[tx,c*2+f*3]);];
)",
                 kChoice, R"(
B(tx,2)L(c,8)[J[tx,c]=A[tx,c];J[tx,c+8]=C[tx,c];];
B(tx,2)L(c,20)[K[tx,c]=if_then_else(3<=c<19,J[tx,c-3],-inf);];
B(tx,2)L(c,9)L(f,2)[M[tx,c]=max(M[tx,c],K[tx,c*2+f*3]);];
B(tx,2)L(c,5)[D[tx,c]=M[tx,c];E[tx,c]=M[tx,c+4];];
B(tx,2)L(c,12)[H[tx,c]=if_then_else(3<=c<11,A[tx,c-3],-inf);];
B(tx,2)L(c,12)[I[tx,c]=if_then_else(3<=c<11,C[tx,c-3],-inf);];
B(tx,2)L(c,1)[D[tx,c+4]=-inf;L(f,2)[D[tx,c+4]=max(D[tx,c+4],H[tx,c*2+8+f*3]);];];
B(tx,2)L(c,2)[E[tx,c]=-inf;L(f,2)[E[tx,c]=max(E[tx,c],I[tx,c*2+f*3]);];];)");
}

constexpr std::string_view kTwoAxes = R"(
@input A f32[2,4,6]
@input C f32[2,4,6]
@param G f32[3,3]
@output F f32[2,4,6]
B(tx,2)L(a,6)L(c,8)[H[tx,a,c]=if_then_else(1<=a<5&1<=c<7,A[tx,a-1,c-1],0);];
B(tx,2)L(a,4)L(c,6)L(d,3)L(f,3)[D[tx,a,c]=D[tx,a,c]+H[tx,a+d,c+f]*G[d,f];];
B(tx,2)L(a,6)L(c,8)[I[tx,a,c]=if_then_else(1<=a<5&1<=c<7,C[tx,a-1,c-1],0);];
B(tx,2)L(a,4)L(c,6)L(d,3)L(f,3)[E[tx,a,c]=E[tx,a,c]+I[tx,a+d,c+f]*G[d,f];];
B(tx,2)L(a,4)L(c,6)[F[tx,a,c]=D[tx,a,c]*E[tx,a,c];];
)";

TEST(PartiallyEquivalent, EitherOfTwoAxes) {
  const std::vector<std::string> wanted = {R"({"at":"1","with":"3","dimension":1})",
                                           R"({"at":"1","with":"3","dimension":2})"};
  EXPECT_EQ(listed(kName, kTwoAxes, false), wanted);
  expect_rewrite(kName, kTwoAxes, wanted[0], R"(
B(tx,2)L(a,4)L(c,6)[J[tx,a,c]=A[tx,a,c];J[tx,a+4,c]=C[tx,a,c];];
B(tx,2)L(a,10)L(c,8)[K[tx,a,c]=if_then_else(1<=a<9&1<=c<7,J[tx,a-1,c-1],0);];
B(tx,2)L(a,8)L(c,6)L(d,3)L(f,3)[M[tx,a,c]=M[tx,a,c]+K[tx,a+d,c+f]*G[d,f];];
B(tx,2)L(a,4)L(c,6)[D[tx,a,c]=M[tx,a,c];E[tx,a,c]=M[tx,a+4,c];];
B(tx,2)L(a,6)L(c,8)[H[tx,a,c]=if_then_else(1<=a<5&1<=c<7,A[tx,a-1,c-1],0);];
B(tx,2)L(a,6)L(c,8)[I[tx,a,c]=if_then_else(1<=a<5&1<=c<7,C[tx,a-1,c-1],0);];
B(tx,2)L(a,1)L(c,6)[D[tx,a+3,c]=0;L(d,3)L(f,3)[D[tx,a+3,c]=D[tx,a+3,c]+H[tx,a+3+d,c+f]*G[d,f];];];
B(tx,2)L(a,1)L(c,6)[E[tx,a,c]=0;L(d,3)L(f,3)[E[tx,a,c]=E[tx,a,c]+I[tx,a+d,c+f]*G[d,f];];];
B(tx,2)L(a,4)L(c,6)[F[tx,a,c]=D[tx,a,c]*E[tx,a,c];];)");
}

// Padding in front only: nothing of D is computed again, and its padded copy goes.
TEST(PartiallyEquivalent, OneSidedPadding) {
  expect_rewrite(kName, R"(
@input A f32[6]
@input C f32[6]
@param G f32[3]
@output D f32[6]
@output E f32[6]
L(c,8)[H[c]=if_then_else(2<=c,A[c-2],0);];L(c,6)L(f,3)[D[c]=D[c]+H[c+f]*G[f];];
L(c,8)[I[c]=if_then_else(2<=c,C[c-2],0);];L(c,6)L(f,3)[E[c]=E[c]+I[c+f]*G[f];];
)",
                 R"({"at":"1","with":"3","dimension":0})", R"(
L(c,6)[J[c]=A[c];J[c+6]=C[c];];L(c,14)[K[c]=if_then_else(2<=c<14,J[c-2],0);];
L(c,12)L(f,3)[M[c]=M[c]+K[c+f]*G[f];];L(c,6)[D[c]=M[c];E[c]=M[c+6];];
L(c,8)[I[c]=if_then_else(2<=c,C[c-2],0);];
L(c,2)[E[c]=0;L(f,3)[E[c]=E[c]+I[c+f]*G[f];];];)");
}

TEST(PartiallyEquivalent, NotAlike) {
  const std::string_view other_kernel = R"(B(tx,2)L(d,8)[I[tx,d]=if_then_else(1<=d<7,C[tx,d-1],0);];
B(tx,2)L(f,6)L(c,3)[E[tx,f]=E[tx,f]+I[tx,c+f]*G[2-c];];)";
  expect_refusal(kName, concat(kHeader, kFirst, other_kernel), kChoice, "pair");
  const std::string_view other_fill = R"(B(tx,2)L(d,8)[I[tx,d]=if_then_else(1<=d<7,C[tx,d-1],1);];
B(tx,2)L(f,6)L(c,3)[E[tx,f]=E[tx,f]+I[tx,c+f]*G[c];];)";
  expect_refusal(kName, concat(kHeader, kFirst, other_fill), kChoice, "pair");
  const std::string_view holes = R"(B(tx,2)L(d,8)[I[tx,d]=if_then_else(1<=d<7&d!=3,C[tx,d-1],0);];
B(tx,2)L(f,6)L(c,3)[E[tx,f]=E[tx,f]+I[tx,c+f]*G[c];];)";
  expect_refusal(kName, concat(kHeader, kFirst, holes), kChoice, "pair");
  expect_no_choice(kName, concat(kHeader, kFirst, other_kernel), "pair");
}

TEST(PartiallyEquivalent, TheWindowDoesNotMoveAlone) {
  expect_refusal(kName, concat(kHeader, kFirst, kSecond), R"({"at":"1","with":"3","dimension":0})", "window");
  expect_refusal(kName, concat(kHeader, kFirst, kSecond), R"({"at":"1","with":"3","dimension":2})", "window");
  expect_refusal(kName, R"(
@input A f32[6]
@input C f32[6]
@param G f32[3]
@output D f32[6]
@output E f32[6]
L(c,8)[H[c]=if_then_else(1<=c<7,A[c-1],0);];L(c,6)L(f,3)[D[c]=D[c]+H[c+f]*G[f]*c;];
L(c,8)[I[c]=if_then_else(1<=c<7,C[c-1],0);];L(c,6)L(f,3)[E[c]=E[c]+I[c+f]*G[f]*c;];
)",
                 R"({"at":"1","with":"3","dimension":0})", "window");
  expect_refusal(kName, R"(
@input A f32[6]
@input C f32[6]
@param G f32[3]
@output D f32[6]
@output E f32[6]
L(c,8)[H[c]=if_then_else(1<=c<7,A[c-1],0);];B(tx,6)L(f,3)[D[tx]=D[tx]+H[tx+f]*G[f];];
L(c,8)[I[c]=if_then_else(1<=c<7,C[c-1],0);];B(tx,6)L(f,3)[E[tx]=E[tx]+I[tx+f]*G[f];];
)",
                 R"({"at":"1","with":"3","dimension":0})", "window");
}

TEST(PartiallyEquivalent, TheStrideDoesNotDivide) {
  expect_refusal(kName, R"(
@input A f32[7]
@input C f32[7]
@param G f32[3]
@output D f32[4]
@output E f32[4]
L(c,9)[H[c]=if_then_else(1<=c<8,A[c-1],0);];L(c,4)L(f,3)[D[c]=D[c]+H[c*2+f]*G[f];];
L(c,9)[I[c]=if_then_else(1<=c<8,C[c-1],0);];L(c,4)L(f,3)[E[c]=E[c]+I[c*2+f]*G[f];];
)",
                 R"({"at":"1","with":"3","dimension":0})", "stride");
}

TEST(PartiallyEquivalent, NothingIsKept) {
  expect_refusal(kName, R"(
@input A f32[2]
@input C f32[2]
@param G f32[5]
@output D f32[2]
@output E f32[2]
L(c,6)[H[c]=if_then_else(2<=c<4,A[c-2],0);];L(c,2)L(f,5)[D[c]=D[c]+H[c+f]*G[f];];
L(c,6)[I[c]=if_then_else(2<=c<4,C[c-2],0);];L(c,2)L(f,5)[E[c]=E[c]+I[c+f]*G[f];];
)",
                 R"({"at":"1","with":"3","dimension":0})", "kept");
}

TEST(PartiallyEquivalent, TheFirstResultIsNeededBetween) {
  expect_refusal(kName, concat(kHeader, "@output F f32\n", kFirst, "B(tx,1)[F[]=D[0,0];];", kSecond),
                 R"({"at":"1","with":"4","dimension":1})", "between");
}

TEST(PartiallyEquivalent, Memory) {
  expect_refusal(kName, R"(
@input A f32[1500000000]
@input C f32[1500000000]
@param G f32[3]
@output D f32[1500000000]
@output E f32[1500000000]
L(c,1500000002)[H[c]=if_then_else(1<=c<1500000001,A[c-1],0);];L(c,1500000000)L(f,3)[D[c]=D[c]+H[c+f]*G[f];];
L(c,1500000002)[I[c]=if_then_else(1<=c<1500000001,C[c-1],0);];L(c,1500000000)L(f,3)[E[c]=E[c]+I[c+f]*G[f];];
)",
                 R"({"at":"1","with":"3","dimension":0})", "memory");
}

}  // namespace
}  // namespace steptp::testing
