#include <gtest/gtest.h>

#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kStaged = R"(
@input A f32[8,32]
@output E f32[32,8]
B(ty,8)B(tx,32)[D:s[ty,tx]=A[ty,tx];E[tx,ty]=D:s[ty,tx];];
)";

TEST(MemoryMove, Pads) {
  expect_move("memory", kStaged, R"({"at":"0/0:left","form":"pad","dimensions":"0,1","number":1})",
              "B(ty,8)B(tx,32)[D:s[ty*33+tx]=A[ty,tx];E[tx,ty]=D:s[ty*33+tx];];");
}

TEST(MemoryMove, RotatesAndTransposes) {
  expect_move("memory", kStaged, R"({"at":"0/0:left","form":"rotate","dimensions":"1,0","number":0})",
              "B(ty,8)B(tx,32)[D:s[ty,(tx+ty)%32]=A[ty,tx];E[tx,ty]=D:s[ty,(tx+ty)%32];];");
  expect_move("memory", kStaged, R"({"at":"0/0:left","form":"transpose","dimensions":"1,0","number":0})",
              "B(ty,8)B(tx,32)[D:s[tx,ty]=A[ty,tx];E[tx,ty]=D:s[tx,ty];];");
}

TEST(MemoryMove, FetchesAhead) {
  expect_move("memory", R"(
@input A f32[8,8]
@output D f32[8]
B(tx,8)L(f,2)L(a,4)[D[tx]=D[tx]+A[tx,f*4+a];];
)",
              R"({"at":"0:loop[1]","of":"A","scope":"l","form":"ahead"})",
              "B(tx,8)[L(a,4)[C:l[0,a]=A[tx,a];];L(f,2)[L(a,4)?{f+1<2}[C:l[(f+1)%2,a]=A[tx,f*4+a+4];];"
              "L(a,4)[D[tx]=D[tx]+C:l[f%2,a];];];];");
}

// A tile that was filled is fetched two rounds ahead.
TEST(MemoryMove, HasSeveralBuffers) {
  constexpr std::string_view kTile = R"(
@input A f32[2,14]
@output D f32[2]
B(bx,2)[L(k,4)[B(tx,4)[E:s[tx]=if_then_else(k*4+tx<14,A[bx,k*4+tx],0);];B(tx,4)[D[bx]=D[bx]+E:s[tx];];];];
)";
  expect_move("memory", kTile, R"({"at":"0/0:loop[0]","form":"buffers","of":"E","buffers":3})",
              "B(bx,2)[B(tx,4)[E:s[0,tx]=if_then_else(0*4+tx<14,A[bx,tx],0);];"
              "B(tx,4)[E:s[1,tx]=if_then_else(1*4+tx<14,A[bx,4+tx],0);];"
              "L(k,4)[B(tx,4)?{k+2<4}[E:s[(k+2)%3,tx]=if_then_else((k+2)*4+tx<14,A[bx,k*4+8+tx],0);];"
              "B(tx,4)[D[bx]=D[bx]+E:s[k%3,tx];];];];");
  expect_move_refusal("memory", kTile, R"({"at":"0/0:loop[0]","form":"buffers","of":"E","buffers":5})", "step",
                      "pipelining refused [rounds]");
}

TEST(MemoryMove, StagesWithADepth) {
  expect_move("memory", R"(
@input A f32[4,24]
@output D f32[4,8]
B(bx,4)L(k,3)B(tx,8)[D[bx,tx]=D[bx,tx]+A[bx,k*8+7-tx];];
)",
              R"({"at":"0:loop[1]","of":"A","form":"deep","depth":3})",
              "B(bx,4)L(k,3)[L(f,8)[E:s3[f]=A[bx,k*8+f];];B(tx,8)[D[bx,tx]=D[bx,tx]+E:s3[7-tx];];];");
}

TEST(MemoryMove, Refuses) {
  constexpr std::string_view kGlobal = R"(
@input A f32[8]
@output E f32[8]
B(tx,8)[D[tx]=A[tx];E[tx]=D[tx];];
)";
  expect_move_refusal("memory", kGlobal, R"({"at":"0/0:left","form":"pad","dimensions":"0","number":1})", "staged");
  expect_move_refusal("memory", kStaged, R"({"at":"0/0:left","form":"rotate","dimensions":"1,1","number":0})", "step",
                      "set_storage_layout refused");
  expect_move_refusal("memory", kStaged, R"({"at":"0/0:left","form":"spread"})", "choice");
}

}  // namespace
}  // namespace steptp::testing
