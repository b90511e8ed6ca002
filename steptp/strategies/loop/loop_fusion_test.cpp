#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(LoopFusion, UndoesASplit) {
  expect_rewrite("loop_fusion", R"(
@input A f32[8,4]
@input C f32[4,6]
@output D f32[8,6]
B(tx,8)L(g,2)L(a,3)L(c,4)[D[tx,g*3+a]=D[tx,g*3+a]+A[tx,c]*C[c,g*3+a];];
)",
                 R"({"at":"0:loop[1]","keep":"inner"})", "B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];");
}

TEST(LoopFusion, UndoesASplitOfValuesAndGuards) {
  expect_rewrite("loop_fusion", R"(
@input A f32[8,5]
@output D f32[8,5]
B(tx,8)L(g,2)L(a,3)?{g*3+a<5}[D[tx,g*3+a]=g*3+a+A[tx,g*3+a]*(g*3+a);];
)",
                 R"({"at":"0:loop[1]","keep":"inner"})", "B(tx,8)L(a,6)?{a<5}[D[tx,a]=a+A[tx,a]*a;];");
}

TEST(LoopFusion, GeneralForm) {
  expect_rewrite("loop_fusion", R"(
@input A f32[8,4,6]
@output D f32[8,4,6]
B(tx,8)L(a,4)L(c,6)[D[tx,a,c]=A[tx,a,c]*(2*a-c);];
)",
                 R"({"at":"0:loop[1]","keep":"inner"})",
                 "B(tx,8)L(f,24)[D[tx,f//6,f%6]=A[tx,f//6,f%6]*(2*(f//6)-f%6);];");
}

TEST(LoopFusion, IndirectReads) {
  expect_rewrite("loop_fusion", R"(
@input A f32[9]
@input C i64[4,6] [0,9)
@output D f32[4,6]
L(a,4)L(c,6)[D[a,c]=A[C:i64[a,c]];];
)",
                 R"({"at":"0:loop[0]","keep":"inner"})", "L(f,24)[D[f//6,f%6]=A[C:i64[f//6,f%6]];];");
}

TEST(LoopFusion, TwoAxesOfOneLaunch) {
  constexpr std::string_view kGrid = R"(
@input A f32[3,4,8]
@output D f32[3,4,8]
B(by,3)B(bx,4)B(tx,8)[D[by,bx,tx]=A[by,bx,tx];];
)";
  expect_rewrite("loop_fusion", kGrid, R"({"at":"0:loop[0]","keep":"inner"})",
                 "B(bx,12)B(tx,8)[D[bx//4,bx%4,tx]=A[bx//4,bx%4,tx];];");
  expect_rewrite("loop_fusion", kGrid, R"({"at":"0:loop[0]","keep":"outer"})",
                 "B(by,12)B(tx,8)[D[by//4,by%4,tx]=A[by//4,by%4,tx];];");
  expect_refusal("loop_fusion", kGrid, R"({"at":"0:loop[1]","keep":"inner"})", "kinds");
}

TEST(LoopFusion, ASerialAndABoundLoop) {
  expect_rewrite("loop_fusion", R"(
@input A f32[8]
@output D f32[8]
L(g,2)B(tx,4)[D[g*4+tx]=A[g*4+tx];];
)",
                 R"({"at":"0:loop[0]","keep":"inner"})", "B(tx,8)[D[tx]=A[tx];];");
}

TEST(LoopFusion, RefusesToMakeARecurrenceConcurrent) {
  expect_refusal("loop_fusion", R"(
@input A f32[5,4]
@output D f32[5,4]
L(k,5)B(tx,4)[D[k,tx]=A[k,tx]+if_then_else(k<1,0,D[k-1,tx]);];
)",
                 R"({"at":"0:loop[0]","keep":"inner"})", "races");
}

TEST(LoopFusion, RefusesReductionWithOutput) {
  expect_refusal("loop_fusion", R"(
@input A f32[4,6]
@output D f32[4]
L(a,4)L(c,6)[D[a]=D[a]+A[a,c];];
)",
                 R"({"at":"0:loop[0]","keep":"inner"})", "same-role");
  expect_rewrite("loop_fusion", R"(
@input A f32[2,4,6]
@output D f32[2]
B(tx,2)L(a,4)L(c,6)[D[tx]=D[tx]+A[tx,a,c];];
)",
                 R"({"at":"0:loop[1]","keep":"inner"})", "B(tx,2)L(f,24)[D[tx]=D[tx]+A[tx,f//6,f%6];];");
}

TEST(LoopFusion, Refusals) {
  constexpr std::string_view kRows = R"(
@input A f32[4,2]
@output D f32[4,2]
L(a,4)V(c,2)[D[a,c]=A[a,c];];
)";
  expect_refusal("loop_fusion", kRows, R"({"at":"0:loop[1]","keep":"inner"})", "axes");
  expect_refusal("loop_fusion", kRows, R"({"at":"0:loop[0]","keep":"inner"})", "kinds");
  expect_refusal("loop_fusion", kRows, R"({"at":"0:loop[0]","keep":"both"})", "choice");
  expect_refusal("loop_fusion", R"(
@input A f32[40,40]
@output D f32[40,40]
B(ty,40)B(tx,40)[D[ty,tx]=A[ty,tx];];
)",
                 R"({"at":"0:loop[0]","keep":"inner"})", "launch");
  expect_refusal("loop_fusion", R"(
@input A f32[1]
@output D f32[1]
L(a,4611686018427387904)L(c,4)[D[0]=A[0];];
)",
                 R"({"at":"0:loop[0]","keep":"inner"})", "extent-fits");
}

// The register is handed over by thread: one of the siblings alone cannot have its axes fused.
TEST(LoopFusion, RefusesToPartSiblings) {
  expect_refusal("loop_fusion", R"(
@input A f32[2,3,4]
@output D f32[2,3,4]
B(bx,2)[B(ty,3)B(tx,4)[E:l[]=A[bx,ty,tx];];B(ty,3)B(tx,4)[D[bx,ty,tx]=E:l[];];];
)",
                 R"({"at":"0/0:loop[0]","keep":"inner"})", "scopes");
}

}  // namespace
}  // namespace steptp::testing
