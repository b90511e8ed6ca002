#include "steptp/planner/plan_maker.h"

#include <gtest/gtest.h>

#include "steptp/safety/check.h"
#include "steptp/text/printer.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

Program program_of(std::string_view text) { return shorthand_program(text, {{"T", "f32"}}); }

constexpr std::string_view kSoftmax = R"(
@input A f32[512,256]
@output C f32[512,256]
B(tx,512)L(a,256)[D[tx]=max(D[tx],A[tx,a]);];B(tx,512)L(a,256)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,512)L(a,256)[C[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];
)";

PlanMaker maker_for(const Program& program, std::string_view name, PlanningOptions options = {}) {
  auto rates = find_rates(name);
  EXPECT_TRUE(rates.ok());
  const Device* device = find_device(rates->is_gpu() ? "nvidia-h200" : "cpu");
  return {program, PlanTarget{device, rates->kind}, *rates, std::move(options)};
}

TEST(PlanMaker, MakesOneKernelOfWhatBelongsTogether) {
  const Program program = program_of(kSoftmax);
  PlanMaker maker = maker_for(program, "nvidia-h200");
  const auto made = maker.best();
  ASSERT_TRUE(made);
  ASSERT_EQ(made->groups.size(), 1U);
  EXPECT_EQ(made->groups[0].expressions, 3U);
  EXPECT_EQ(made->plan.moves.back().move, "rows");
  EXPECT_EQ(made->plan.root, root_hash(program));
  EXPECT_EQ(made->moved.program.nests.size(), 1U);
  const auto again = replay(program, made->plan);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(print(again->program), print(made->moved.program));
}

/// On a CPU rows are folded in lanes, columns with the fold outside, and tiles have more rows than one thread.
TEST(PlanMaker, TakesLanesOnACpu) {
  const auto move_for = [](std::string_view text) {
    const Program program = program_of(text);
    PlanMaker maker = maker_for(program, "plain-cpu");
    const auto made = maker.best();
    EXPECT_TRUE(made);
    return made && !made->plan.moves.empty() ? made->plan.moves.back() : PlannedMove{};
  };
  EXPECT_EQ(move_for(kSoftmax).move, "lanes");
  EXPECT_EQ(move_for(kSoftmax).choice.integer("lanes"), 32);
  const PlannedMove column = move_for(R"(
@input A f32[64,256,64]
@output D f32[64,64]
B(tx,64)L(a,64)L(c,256)[D[tx,a]=D[tx,a]+A[tx,c,a]**2;];
)");
  EXPECT_EQ(column.move, "step");
}

/// A padded image may stay a tensor, also where nothing else is inlined.
TEST(PlanMaker, KeepsPaddedImagesOnACpuWhereThatIsFaster) {
  const Program program = program_of(R"(
@input A f32[8,32,28,28]
@input G f32[64,32,3,3]
@output C f32[8,64,28,28]
B(tx,8)L(a,32)L(c,30)L(d,30)[E[tx,a,c,d]=if_then_else(1<=c<29&1<=d<29,A[tx,a,c-1,d-1],0);];
B(tx,8)L(a,64)L(c,28)L(d,28)L(f,32)L(g,3)L(h,3)[C[tx,a,c,d]=C[tx,a,c,d]+E[tx,f,c+g,d+h]*G[a,f,g,h];];
)");
  PlanMaker maker = maker_for(program, "plain-cpu");
  const auto made = maker.best();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->moved.program.nests.size(), 2U);
}

/// Matrix instructions where there are some for the types, otherwise tiles of threads; on a CPU never.
TEST(PlanMaker, TakesMatrixInstructions) {
  const auto move_for = [](std::string_view dtype, std::string_view device) {
    const std::string head =
        std::string("@input A $T[256,192]\n@input G $T[192,256]\n@input H $T[256]\n@output C $T[256,256]\n");
    const Program program = shorthand_program(
        head + "B(tx,256)L(a,256)L(k,192)[D[tx,a]=D[tx,a]+A[tx,k]*G[k,a];];B(tx,256)L(a,256)[C[tx,a]=D[tx,a]+H[a];];",
        {{"T", std::string(dtype)}});
    PlanMaker maker = maker_for(program, device);
    const auto made = maker.best();
    EXPECT_TRUE(made);
    if (!made) return std::string();
    EXPECT_EQ(made->groups.size(), 1U) << dtype;
    return made->plan.moves.back().move;
  };
  EXPECT_EQ(move_for("f16", "nvidia-h200"), "matrix");
  EXPECT_EQ(move_for("f64", "nvidia-h200"), "matrix");
  EXPECT_EQ(move_for("f32", "nvidia-h200"), "tile");
  EXPECT_NE(move_for("f64", "plain-cpu"), "matrix");
}

/// A small result of a long sum: blocks make parts of it.
TEST(PlanMaker, CutsLongSumsForMatrixInstructions) {
  const Program program = program_of(
      "@input A f16[96,4096]\n@input C f16[4096,64]\n@output D f16[96,64]\n"
      "B(tx,96)L(a,64)L(k,4096)[D:f16[tx,a]=D:f16[tx,a]+A:f16[tx,k]*C:f16[k,a];];\n");
  PlanMaker maker = maker_for(program, "nvidia-h200");
  const auto made = maker.best();
  ASSERT_TRUE(made);
  ASSERT_EQ(made->plan.moves.size(), 3U);
  EXPECT_EQ(made->plan.moves[0].move, "parts");
  EXPECT_EQ(made->plan.moves[1].move, "map");
  EXPECT_EQ(made->plan.moves[2].move, "matrix");
}

TEST(PlanMaker, IsTheSameForAnyNumberOfThreads) {
  const Program program = program_of(kSoftmax);
  std::string first;
  for (const unsigned jobs : {1U, 4U}) {
    PlanningOptions options;
    options.jobs = jobs;
    PlanMaker maker = maker_for(program, "nvidia-h200", options);
    const auto made = maker.best();
    ASSERT_TRUE(made);
    const std::string text = to_json(made->plan).dump();
    if (first.empty()) first = text;
    EXPECT_EQ(text, first);
  }
}

TEST(PlanMaker, MakesAnotherPlanWhereOneIsRejected) {
  const Program program = program_of(kSoftmax);
  PlanMaker maker = maker_for(program, "nvidia-h200");
  const auto first = maker.best();
  ASSERT_TRUE(first);
  maker.reject({0}, false);
  const auto second = maker.best();
  ASSERT_TRUE(second);
  EXPECT_NE(to_json(first->plan).dump(), to_json(second->plan).dump());
  EXPECT_GE(second->seconds, first->seconds);
  maker.reject();
  EXPECT_FALSE(maker.best());
}

TEST(PlanMaker, TriesNothingOnceItIsToEnd) {
  const Program program = program_of(kSoftmax);
  PlanningOptions options;
  options.go_on = [] { return false; };
  PlanMaker maker = maker_for(program, "plain-cpu", options);
  const auto made = maker.best();
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->plan.moves.empty());
  EXPECT_TRUE(maker.was_cut());
}

TEST(PlanMaker, InlinesCheapProducersButNotIntoContractions) {
  const Program program = program_of(R"(
@input A f32[64,32]
@input C f32[32,64]
@output G f32[64,64]
B(tx,64)L(a,32)[D[tx,a]=A[tx,a]*2;];B(tx,64)L(a,64)L(c,32)[E[tx,a]=E[tx,a]+D[tx,c]*C[c,a];];
B(tx,64)L(a,64)[F[tx,a]=E[tx,a]+1;];B(tx,64)L(a,64)[G[tx,a]=max(F[tx,a],0);];
)");
  const auto forms = prepared_forms(program);
  ASSERT_EQ(forms.size(), 2U);
  EXPECT_TRUE(equal(forms[0].program, program));
  ASSERT_EQ(forms[1].moves.size(), 1U);
  EXPECT_EQ(to_text(forms[1].moves[0].choice.at), "2");
}

/// What is measured: a product that is joined with what follows takes six times as long on a CPU.
TEST(PlanMaker, OnACpuProductsAreTiledAndNotJoined) {
  const Program program = program_of(R"(
@input A f32[256,96]
@input C f32[384,96]
@input F f32[384]
@output E f32[256,384]
B(tx,256)L(a,384)L(c,96)[D[tx,a]=D[tx,a]+A[tx,c]*C[a,c];];B(tx,256)L(a,384)[D[tx,a]=D[tx,a]+F[a];];
B(tx,256)L(a,384)[E[tx,a]=max(D[tx,a],0);];
)");
  PlanMaker maker = maker_for(program, "plain-cpu");
  const auto made = maker.best();
  ASSERT_TRUE(made);
  for (const PlannedMove& move : made->plan.moves) EXPECT_NE(move.move, "join");
  EXPECT_EQ(made->plan.moves.back().move, "tile");
}

TEST(PlanMaker, LeavesNothingThatIsBeyondTheDevice) {
  const Program program = program_of(R"(
@input A f32[4096]
@output D f32[4096]
B(tx,4096)[D[tx]=A[tx]*2;];
)");
  PlanMaker maker = maker_for(program, "nvidia-h200");
  const auto made = maker.best();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->plan.moves.back().move, "map");
  const CheckReport report = check_program(made->moved.program, {find_device("nvidia-h200")});
  EXPECT_EQ(report.verdict, CheckReport::Verdict::ok);
}

}  // namespace
}  // namespace steptp::testing
