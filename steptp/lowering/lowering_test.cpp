// What back ends share: buffers, homes of scoped data, threads, offsets, conditions of the host.
#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/lowering/arrangement.h"
#include "steptp/lowering/homes.h"
#include "steptp/lowering/host_condition.h"
#include "steptp/lowering/offsets.h"
#include "steptp/lowering/threads.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

Program program_of(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << render(document.diagnostics, *document.source);
  return document.program;
}

TEST(Arrangement, BuffersAndKernels) {
  const Program program = program_of(
      "@input A f32[3,4]\n@output D f64[3,4]\n"
      "L^{3}_{a=0}[B^{4}_{tx=0}[E^{f16,g}_{tx}=A^{f32,g}_{a,tx};];B^{4}_{tx=0}[D^{f64,g}_{a,tx}=E^{f16,g}_{3-tx};];];");
  const auto arrangement = lowering::arrangement_of(program);
  ASSERT_TRUE(arrangement.ok());
  ASSERT_EQ(arrangement->kernels.size(), 2U);
  EXPECT_EQ(arrangement->kernels[0].host_loops.size(), 1U);
  EXPECT_EQ(arrangement->kernels[0].globals, (std::vector<std::string>{"A", "E"}));
  EXPECT_EQ(arrangement->kernels[0].written, (std::vector<std::string>{"E"}));
  EXPECT_EQ(arrangement->kernels[1].globals, (std::vector<std::string>{"D", "E"}));
  EXPECT_TRUE(arrangement->buffers.at("E").is_workspace());
  EXPECT_EQ(arrangement->buffers.at("E").bytes, 8);
  EXPECT_FALSE(arrangement->buffers.at("E").initial);
  EXPECT_EQ(arrangement->buffers.at("D").strides, (std::vector<std::int64_t>{4, 1}));
}

TEST(Arrangement, AccumulatorsBeginWithTheirIdentity) {
  const Program one = program_of(
      "@input A i8[4,3]\n@output D i8[4]\nB^{4}_{tx=0}L^{3}_{a=0}[D^{i8,g}_{tx}=max(D^{i8,g}_{tx},A^{i8,g}_{tx,a});];");
  const auto arrangement = lowering::arrangement_of(one);
  ASSERT_TRUE(arrangement.ok());
  EXPECT_EQ(arrangement->buffers.at("D").initial->integer, -128);
  const Program two = program_of(
      "@input A f32[4,3]\n@output D f32[4]\nB^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}*A^{f32,g}_{tx,a};];"
      "B^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];");
  const auto flagged = lowering::arrangement_of(two);
  ASSERT_TRUE(flagged.ok());
  EXPECT_FALSE(flagged->buffers.at("D").initial);
  EXPECT_EQ(flagged->buffers.at("D_defined").bytes, 4);
}

TEST(Homes, OuterBoundLoopsAreAroundTheData) {
  const Program flat = program_of(
      "@input A f32[2,4,3]\n@output D f32[2,4]\n"
      "B^{2}_{bx=0}B^{4}_{tx=0}[L^{3}_{a=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{bx,tx,a};];D^{f32,g}_{bx,tx}=E^{f32,l};];");
  const auto arrangement = lowering::arrangement_of(flat);
  const lowering::Home home = lowering::home_of(arrangement->kernels[0], arrangement->buffers.at("E"));
  EXPECT_EQ(home.depth, 2U);
  EXPECT_TRUE(home.expanded.empty());
  const Program across = program_of(
      "@input A f32[2,4,3]\n@output D f32[2,4,3]\nB^{2}_{bx=0}L^{3}_{a=0}[B^{4}_{tx=0}[E^{f32,l}=A^{f32,g}_{bx,tx,a};];"
      "B^{4}_{tx=0}[D^{f32,g}_{bx,tx,a}=E^{f32,l};];];");
  const auto expanded = lowering::arrangement_of(across);
  const lowering::Home wide = lowering::home_of(expanded->kernels[0], expanded->buffers.at("E"));
  EXPECT_EQ(wide.depth, 1U);
  ASSERT_EQ(wide.expanded.size(), 1U);
  EXPECT_EQ(wide.expanded[0].first, Axis::tx);
  EXPECT_EQ(wide.elements, 4);
}

TEST(Homes, DataThatBeginsAnewNeedsNoStorageOfEachThread) {
  const auto begins_anew = [](const std::string& body) {
    const Program program = program_of(
        concat("@input A f32[2,3,4,6]\n@output D f32[2,3,4]\nB^{2}_{bx=0}L^{3}_{a=0}[B^{4}_{tx=0}[", body, "];];"));
    const auto arrangement = lowering::arrangement_of(program);
    return lowering::begins_anew(arrangement->table, arrangement->buffers.at("E"));
  };
  const std::string read = "D^{f32,g}_{bx,a,tx}=E^{f32,l}_{5};";
  EXPECT_TRUE(begins_anew("L^{6}_{c=0}[E^{f32,l}_{c}=A^{f32,g}_{bx,a,tx,c};];" + read));
  EXPECT_TRUE(begins_anew("L^{3}_{c=0}L^{2}_{d=0}[E^{f32,l}_{c+3*d}=A^{f32,g}_{bx,a,tx,c};];" + read));
  // Two elements of three, each of them twice.
  EXPECT_FALSE(begins_anew("L^{3}_{c=0}L^{2}_{d=0}[E^{f32,l}_{c*2+d*3}=A^{f32,g}_{bx,a,tx,c};];" + read));
  EXPECT_FALSE(begins_anew("L^{5}_{c=0}[E^{f32,l}_{c+1}=A^{f32,g}_{bx,a,tx,c};];" + read));
  // From one round to the next.
  EXPECT_FALSE(begins_anew("L^{2}_{c=0}[E^{f32,l}_{a*2+c}=A^{f32,g}_{bx,a,tx,c};];" + read));
  // Under a condition of its own.
  EXPECT_FALSE(begins_anew("L^{6}_{c=0}?{a<1}[E^{f32,l}_{c}=A^{f32,g}_{bx,a,tx,c};];" + read));
  // Between items of all threads.
  EXPECT_FALSE(begins_anew("L^{6}_{c=0}[E^{f32,l}_{c}=A^{f32,g}_{bx,a,tx,c};];];B^{4}_{tx=0}[" + read));
  // With its identity.
  EXPECT_FALSE(begins_anew("L^{6}_{c=0}[E^{f32,l}_{c}=E^{f32,l}_{c}+A^{f32,g}_{bx,a,tx,c};];" + read));
  // Read before.
  EXPECT_FALSE(
      begins_anew("L^{1}_{d=0}?{a>0}[D^{f32,g}_{bx,a,tx}=E^{f32,l}_{5};];"
                  "L^{6}_{c=0}[E^{f32,l}_{c}=A^{f32,g}_{bx,a,tx,c};];"));
}

TEST(Threads, WhoSharesDataAndWhoReduces) {
  const Program program = program_of(
      "@input A f32[2,8]\n@output D f32[2,8]\n@output F "
      "f32[2]\nB^{2}_{bx=0}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bx,tx};];"
      "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}_{tx};];B^{8}_{tx=0}[F^{f32,g}_{bx}=F^{f32,g}_{bx}+E^{f32,s}_{7-tx};];]"
      ";");
  const auto arrangement = lowering::arrangement_of(program);
  EXPECT_FALSE(lowering::share_data(arrangement->table, 0, 1));
  EXPECT_TRUE(lowering::share_data(arrangement->table, 0, 2));
  EXPECT_TRUE(lowering::reduced_axes(arrangement->table, 1).empty());
  EXPECT_EQ(lowering::reduced_axes(arrangement->table, 2), (std::vector<Axis>{Axis::tx}));
}

TEST(Offsets, AlignedRuns) {
  const auto times = [](const char* name, std::int64_t factor) {
    return *Index::multiply(Index::variable(name), Index::constant(factor));
  };
  const Index run = *Index::add(times("a", 4), Index::variable("c"));
  EXPECT_EQ(lowering::run_alignment(run, "c"), 4);
  EXPECT_EQ(lowering::run_alignment(run, "a"), 0);
  EXPECT_EQ(lowering::run_alignment(*Index::add(run, Index::constant(1)), "c"), 1);
  EXPECT_EQ(lowering::run_alignment(*Index::add(run, Index::constant(6)), "c"), 2);
  EXPECT_EQ(lowering::run_alignment(times("c", 2), "c"), 0);
  EXPECT_EQ(lowering::run_alignment(*Index::floor_divide(run, Index::constant(3)), "c"), 0);
  EXPECT_EQ(lowering::run_alignment(Index::variable("c"), "c") % 16, 0);
}

/// A quotient is smaller than what it is of, and that is computed too.
TEST(Offsets, WhatAnIndexNeedsWhileItIsComputed) {
  const Ranges ranges = lowering::ranges_of({{"a", 1000}, {"c", 8}});
  const Index row = *Index::add(*Index::multiply(Index::variable("a"), Index::constant(8)), Index::variable("c"));
  const auto needed = [&](const Index& index) { return static_cast<std::int64_t>(lowering::magnitude(index, ranges)); };
  EXPECT_EQ(needed(row), 7999);
  const Index quotient = *Index::floor_divide(row, Index::constant(100));
  EXPECT_EQ(needed(quotient), 7999);
  EXPECT_EQ(needed(*Index::multiply(quotient, Index::constant(1000))), 79000);
  const Index rest = *Index::modulo(row, Index::constant(100));
  EXPECT_EQ(needed(*Index::multiply(rest, Index::constant(1000))), 99000);
  EXPECT_EQ(needed(*Index::subtract(Index::constant(-5), *Index::multiply(rest, Index::constant(1000)))), 99005);
  const Index shifted = *Index::floor_divide(*Index::subtract(Index::variable("c"), Index::constant(20)), Index::constant(3));
  EXPECT_EQ(needed(*Index::multiply(shifted, Index::constant(10))), 70);
  // Every partial product counts, also where the last factor is 0.
  const Index none = *Index::multiply(*Index::multiply(Index::variable("a"), Index::variable("a")), Index::variable("z"));
  const Ranges with_none = lowering::ranges_of({{"a", 1000}, {"z", 1}});
  EXPECT_EQ(static_cast<std::int64_t>(lowering::magnitude(none, with_none)), 998001);
  // What is read may be any number, however small its quotient is.
  const Index read = Index::read(make_ref("A", DType::i32, Scope::global, {Index()}));
  EXPECT_GE(lowering::magnitude(*Index::floor_divide(read, Index::constant(1024)), ranges), static_cast<Wide>(1) << 31);
}

TEST(HostConditions, AreDecidedByLoops) {
  const Program program = program_of(
      "@input A f32[9]\n@output D f32[9]\nB^{9}_{tx=0}?{tx*2-1<7&tx//2!=1|tx==8}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];");
  const auto condition = lowering::condition_value(*program.nests[0]->guard);
  for (std::int64_t tx = 0; tx < 9; ++tx) {
    EXPECT_EQ(lowering::holds(*condition, {{"tx", tx}}), (tx * 2 - 1 < 7 && tx / 2 != 1) || tx == 8) << tx;
  }
}

TEST(ArrangementRefuses, SizesBeyond64Bits) {
  const Program program = program_of(
      "@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[E^{f32,g}_{tx*4611686018427387,tx*46116860}=A^{f32,g}_{tx};"
      "D^{f32,g}_{tx}=E^{f32,g}_{tx*4611686018427387,tx*46116860};];");
  const auto made = lowering::arrangement_of(program);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().id, "cannot-lower");
  EXPECT_NE(made.error().message.find("cannot be numbered with 64 bits"), std::string::npos) << made.error().message;
}

}  // namespace
}  // namespace steptp::testing
