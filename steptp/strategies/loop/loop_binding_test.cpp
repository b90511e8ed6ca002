#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kMatmul = R"(
@input A f32[8,4]
@input C f32[4,6]
@output D f32[8,6]
B(tx,8)L(a,6)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)";

TEST(LoopBinding, OutputLoop) {
  expect_rewrite("loop_binding", kMatmul, R"({"at":"0:loop[1]","axis":"bx","multiple":1})",
                 "B(tx,8)B(bxa,6)L(c,4)[D[tx,bxa]=D[tx,bxa]+A[tx,c]*C[c,bxa];];");
  EXPECT_EQ(listed("loop_binding", kMatmul, false).size(), 5U);  // all but tx, of one loop
}

TEST(LoopBinding, BareValuesAreRenamed) {
  expect_rewrite("loop_binding", R"(
@output D f32[4]
L(a,4)?{a<4}[D[a]=a;];
)",
                 R"({"at":"0:loop[0]","axis":"tx","multiple":1})", "B(txa,4)?{txa<4}[D[txa]=txa;];");
}

TEST(LoopBinding, RebindsAndUnbinds) {
  expect_rewrite("loop_binding", kMatmul, R"({"at":"0:loop[0]","axis":"by","multiple":1})",
                 "B(by,8)L(a,6)L(c,4)[D[by,a]=D[by,a]+A[by,c]*C[c,a];];");
  expect_rewrite("loop_binding", kMatmul, R"({"at":"0:loop[0]","axis":"none","multiple":1})",
                 "L(d,8)L(a,6)L(c,4)[D[d,a]=D[d,a]+A[d,c]*C[c,a];];");
}

TEST(LoopBinding, ACollectiveStandsAlone) {
  expect_rewrite("loop_binding", R"(
@input A f32[8,4]
@output D f32[8]
B(bx,8)L(c,4)[D[bx]=D[bx]+A[bx,c];];
)",
                 R"({"at":"0:loop[1]","axis":"tx","multiple":1})", "B(bx,8)B(txc,4)[D[bx]=D[bx]+A[bx,txc];];");
  expect_refusal("loop_binding", R"(
@input A f32[8,4]
@output D f32[8]
@output E f32[8,4]
B(bx,8)L(c,4)[D[bx]=D[bx]+A[bx,c];E[bx,c]=A[bx,c];];
)",
                 R"({"at":"0:loop[1]","axis":"tx","multiple":1})", "not-carried");
}

TEST(LoopBinding, RefusesRecurrences) {
  expect_refusal("loop_binding", R"(
@input A f32[4,5]
@output D f32[4,5]
B(tx,4)L(a,5)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);];
)",
                 R"({"at":"0:loop[1]","axis":"bx","multiple":1})", "not-carried");
}

TEST(LoopBinding, RefusesAnAxisTwice) {
  expect_refusal("loop_binding", kMatmul, R"({"at":"0:loop[1]","axis":"tx","multiple":1})", "axis-free");
  expect_refusal("loop_binding", kMatmul, R"({"at":"0:loop[1]","axis":"wx","multiple":1})", "choice");
  expect_refusal("loop_binding", kMatmul, R"({"at":"0:loop[1]","axis":"none","multiple":1})", "kind");
  expect_refusal("loop_binding", kMatmul, R"({"at":"0:loop[0]","axis":"tx","multiple":1})", "kind");
}

TEST(LoopBinding, AGuardCutsOffTheTail) {
  expect_rewrite("loop_binding", kMatmul, R"({"at":"0:loop[1]","axis":"ty","multiple":4})",
                 "B(tx,8)B(tya,8)L(c,4)?{tya<6}[D[tx,tya]=D[tx,tya]+A[tx,c]*C[c,tya];];");
  expect_refusal("loop_binding", kMatmul, R"({"at":"0:loop[1]","axis":"by","multiple":4})", "tail");
  expect_refusal("loop_binding", kMatmul, R"({"at":"0:loop[1]","axis":"ty","multiple":3})", "tail");
  expect_refusal("loop_binding", kMatmul, R"({"at":"0:loop[1]","axis":"ty","multiple":0})", "tail");
  expect_refusal("loop_binding", kMatmul, R"({"at":"0:loop[1]","axis":"ty","multiple":256})", "launch");
}

TEST(LoopBinding, RefusesLargeLaunches) {
  constexpr std::string_view kLarge = R"(
@input A f32[32,64]
@output D f32[32,64]
B(tx,32)L(a,64)[D[tx,a]=A[tx,a];];
)";
  expect_refusal("loop_binding", kLarge, R"({"at":"0:loop[1]","axis":"ty","multiple":1})", "launch");
  expect_refusal("loop_binding", R"(
@input A f32[128]
@output D f32[128]
L(a,128)[D[a]=A[a];];
)",
                 R"({"at":"0:loop[0]","axis":"tz","multiple":1})", "launch");
}

// The nest beside it reads across the loop: what one block wrote is no other block's shared data.
TEST(LoopBinding, RefusesToPartSharedData) {
  expect_refusal("loop_binding", R"(
@input A f32[4,8]
@output D f32[4,8]
B(bx,4)[L(c,8)[E:s[c]=A[bx,c];];B(tx,8)[D[bx,tx]=E:s[7-tx];];];
)",
                 R"({"at":"0/0:loop[0]","axis":"by","multiple":1})", "scopes");
  expect_rewrite("loop_binding", R"(
@input A f32[4,8]
@output D f32[4,8]
B(bx,4)[L(c,8)[E:s[c]=A[bx,c];];B(tx,8)[D[bx,tx]=E:s[7-tx];];];
)",
                 R"({"at":"0/0:loop[0]","axis":"tx","multiple":1})",
                 "B(bx,4)[B(txc,8)[E:s[txc]=A[bx,txc];];B(tx,8)[D[bx,tx]=E:s[7-tx];];];");
}

// Iterations of a do not meet, but with a over blocks those of k are not in step any more.
TEST(LoopBinding, RefusesBlocksOutOfStep) {
  expect_refusal("loop_binding", R"(
@input A f32[5,4]
@output D f32[5,4]
L(h,1)B(tx,1)L(k,5)L(a,4)[D[k,a]=A[k,a]+if_then_else(k<1,0,D[k-1,3-a]);];
)",
                 R"({"at":"0:loop[3]","axis":"bx","multiple":1})", "races");
}

}  // namespace
}  // namespace steptp::testing
