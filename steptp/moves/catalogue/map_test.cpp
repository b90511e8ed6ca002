#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/plans/registry.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kProgram = R"(
@input A f32[8,96]
@output D f32[8,96]
B(tx,8)L(a,96)[D[tx,a]=A[tx,a]*2;];
)";

TEST(MapMove, BlocksOfThreadsWithVectors) {
  expect_move("map", kProgram, R"({"at":"0","threads":64,"width":4})",
              "B(bxf,4)B(tyc,2)B(txd,24)V(a,4)[D[bxf*2+tyc,txd*4+a]=A[bxf*2+tyc,txd*4+a]*2;];");
}

TEST(MapMove, OneBlockIsEnoughForFewElements) {
  expect_move("map", R"(
@input A f32[8]
@output D f32[8]
L(a,8)[D[a]=A[a]*2;];
)",
              R"({"at":"0","threads":32,"width":1})", "B(txa,8)[D[txa]=A[txa]*2;];");
}

TEST(MapMove, ARestIsGuarded) {
  expect_move("map", R"(
@input A f32[100]
@output D f32[100]
L(a,100)[D[a]=A[a]*2;];
)",
              R"({"at":"0","threads":32,"width":1})",
              "B(bxc,4)B(txa,32)?{bxc*32+txa<100}[D[bxc*32+txa]=A[bxc*32+txa]*2;];");
}

TEST(MapMove, AReductionStaysInside) {
  expect_move("map", R"(
@input A f32[64,8,6]
@output D f32[6,64]
B(tx,64)L(c,8)L(a,6)[D[a,tx]=D[a,tx]+A[tx,c,a];];
)",
              R"({"at":"0","threads":64,"width":1})", "B(bxa,6)B(txd,64)L(c,8)[D[bxa,txd]=D[bxa,txd]+A[txd,c,bxa];];");
}

TEST(MapMove, ThreeAxesOfBlocksAndTheRestInside) {
  expect_move("map", R"(
@input A f32[3,5,4,7,64]
@output D f32[3,5,4,7,64]
B(tx,3)L(a,5)L(c,4)L(d,7)L(f,64)[D[tx,a,c,d,f]=A[tx,a,c,d,f];];
)",
              R"({"at":"0","threads":64,"width":1})",
              "B(bzc,4)B(bya,5)B(bxd,7)B(txf,64)L(g,3)[D[g,bya,bzc,bxd,txf]=A[g,bya,bzc,bxd,txf];];");
}

TEST(MapMove, AGatherNeedsNoStaging) {
  (void)after_move("map", move_program(R"(
@input A f32[50,6]
@input I i64[40] [0,50)
@output D f32[40,6]
B(tx,40)L(a,6)[D[tx,a]=A[I:i64[tx],a];];
)"),
                   R"({"at":"0","threads":64,"width":2})");
}

TEST(MapMove, AFlatRowHasRoundsAndVectorsWithARest) {
  expect_move("map", R"(
@input A f32[9,11]
@output D f32[9,11]
B(tx,9)L(a,11)[D[tx,a]=A[tx,a]*2;];
)",
              R"({"at":"0","threads":4,"width":4,"flat":1,"rounds":2})",
              "B(bxf,4)L(c,2)B(txa,4)?{bxf*8+c*4+txa<25&bxf*2+c<7}["
              "V(d,4)?{bxf*32+c*16+txa*4+3<99}["
              "D[(bxf*32+c*16+txa*4+d)//11,(bxf*32+c*16+txa*4+d)%11]="
              "A[(bxf*32+c*16+txa*4+d)//11,(bxf*32+c*16+txa*4+d)%11]*2;];"
              "L(d,4)?{bxf*32+c*16+txa*4+3>=99&bxf*32+c*16+txa*4+d<99}["
              "D[(bxf*32+c*16+txa*4+d)//11,(bxf*32+c*16+txa*4+d)%11]="
              "A[(bxf*32+c*16+txa*4+d)//11,(bxf*32+c*16+txa*4+d)%11]*2;];];");
  expect_move("map", R"(
@input A f32[64]
@output D f32[64]
L(a,64)[D[a]=A[a]*2;];
)",
              R"({"at":"0","threads":4,"width":4,"flat":1,"rounds":2})",
              "B(bx,2)L(c,2)B(tx,4)V(d,4)[D[bx*32+c*16+tx*4+d]=A[bx*32+c*16+tx*4+d]*2;];");
}

// Of sizes that strategies decide alike one is made for all; here all of them are.
TEST(MapMove, WhateverIsListedCanBeMade) {
  std::size_t made = 0;
  for (const std::string_view shape : {"L(a,7)L(c,96)[D[a,c]=A[a,c]*2;];", "L(a,3)L(c,130)L(d,64)[D[a,c,d]=A[a,c,d];];",
                                       "L(a,2)L(c,2)L(d,3)L(f,2)[D[a,c,d,f]=A[a,c,d,f];];"}) {
    const std::string_view extents = shape.starts_with("L(a,7)")   ? "7,96"
                                     : shape.starts_with("L(a,3)") ? "3,130,64"
                                                                   : "2,2,3,2";
    const Program program =
        move_program(concat("@input A f32[", extents, "]\n@output D f32[", extents, "]\n", shape, "\n"));
    View view(program);
    for (const ChoiceSite& site : list_choices(*find_move("map"), view).sites) {
      for (std::uint64_t i = 0; i < site.count(); ++i, ++made) {
        EXPECT_TRUE(apply(*find_move("map"), program, site.choice(i)).ok()) << shape << site.choice(i).to_json().dump();
      }
    }
  }
  EXPECT_GT(made, 100U);
}

TEST(MapMove, Refuses) {
  expect_move_refusal("map", kProgram, R"({"at":"3","threads":64,"width":1})", "elements");
  expect_move_refusal("map", kProgram, R"({"at":"0","threads":0,"width":1})", "threads");
  expect_move_refusal("map", kProgram, R"({"at":"0","threads":64,"width":5})", "width");
  expect_move_refusal("map", kProgram, R"({"at":"0","threads":64,"width":4,"flat":0,"rounds":2})", "flat");
  expect_move_refusal("map", kProgram, R"({"at":"0","threads":256,"width":4,"flat":1,"rounds":1})", "flat");
  expect_move_refusal("map", kProgram, R"({"at":"0","threads":64,"width":4,"flat":1,"rounds":3})", "flat");
  constexpr std::string_view kPrefix = R"(
@input A f32[8]
@output D f32[8]
L(a,8)[D[a]=if_then_else(a-1<0,0,D[a-1])+A[a];];
)";
  expect_move_refusal("map", kPrefix, R"({"at":"0","threads":64,"width":1})", "step",
                      "loop_binding refused [not-carried]");
}

}  // namespace
}  // namespace steptp::testing
