#include "testing/oracle_support.h"

namespace steptp::testing {
namespace {

const Tensors kRows = {{"A", tensor_of<int>(DType::f32, {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})}};

TEST(Scope, LocalStartsUndefinedInEveryThread) {
  const std::string text =
      "@input A f32[4,3]\n@output D "
      "f32[4]\nB^{4}_{tx=0}[L^{3}_{a=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{tx,a};];D^{f32,g}_{tx}=E^{f32,l};];";
  EXPECT_EQ(output(text, "D", kRows), (Doubles{6, 15, 24, 33}));
  std::string global = text;
  for (std::size_t at = 0; (at = global.find("f32,l", at)) != std::string::npos;) global.replace(at, 5, "f32,g");
  EXPECT_EQ(output(global, "D", kRows), (Doubles{6, 21, 45, 78}));
}

TEST(Scope, SiblingLoopsAreTheSameThreads) {
  EXPECT_EQ(output("@input A f32[4,3]\n@output D f32[4]\n"
                   "B^{1}_{bx=0}[B^{4}_{tx=0}L^{3}_{a=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{tx,a};];B^{4}_{txa=0}[D^{f32,g}"
                   "_{txa}=E^{f32,l};];];",
                   "D", kRows),
            (Doubles{6, 15, 24, 33}));
  // Unequal extents: the thread that never wrote has nothing.
  const Trap trap =
      trap_of("@output D f32[4]\nB^{1}_{bx=0}[B^{3}_{tx=0}[E^{f32,l}=tx;];B^{4}_{tx=0}[D^{f32,g}_{tx}=E^{f32,l};];];");
  EXPECT_EQ(trap.kind, TrapKind::undefined_read);
  EXPECT_EQ(trap.iteration, (std::vector<std::pair<std::string, std::int64_t>>{{"bx", 0}, {"tx", 3}}));
}

TEST(Scope, LocalSurvivesIterationsOfInnerLoops) {
  // The loop a goes around the threads; each keeps its own sum.
  EXPECT_EQ(output("@input A f32[4,3]\n@output D f32[4]\n"
                   "B^{1}_{bx=0}[L^{3}_{a=0}[B^{4}_{tx=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{tx,a};];];B^{4}_{tx=0}[D^{f32,"
                   "g}_{tx}=E^{f32,l};];];",
                   "D", kRows),
            (Doubles{6, 15, 24, 33}));
}

TEST(Scope, SharedIsFreshInEveryBlock) {
  EXPECT_EQ(output("@input A f32[4,3]\n@output D f32[4]\n"
                   "B^{4}_{bx=0}[B^{3}_{tx=0}[E^{f32,s}=E^{f32,s}+A^{f32,g}_{bx,tx};];D^{f32,g}_{bx}=E^{f32,s};];",
                   "D", kRows),
            (Doubles{6, 15, 24, 33}));
  // Written by block 0 only: block 1 has its own, undefined.
  const Trap trap = trap_of(
      "@output D "
      "f32[2]\nB^{2}_{bx=0}[B^{1}_{tx=0}?{bx==0}[E^{f32,s}_{tx}=1;];B^{1}_{tx=0}[D^{f32,g}_{bx}=E^{f32,s}_{tx};];];");
  EXPECT_EQ(trap.kind, TrapKind::undefined_read);
  EXPECT_EQ(trap.tensor, "E");
  EXPECT_EQ(to_text(*trap.site), "0/1/0:right");
}

TEST(Scope, TileThroughSharedMemory) {
  const Program program = program_of(
      "@input A f32[3,4]\n@input C f32[4,4]\n@output D f32[3,4]\n"
      "B^{3}_{bxa=0}[B^{4}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bxa,tx};];"
      "B^{4}_{tx=0}L^{4}_{c=0}[D^{f32,g}_{bxa,tx}=D^{f32,g}_{bxa,tx}+E^{f32,s}_{c}*C^{f32,g}_{c,tx};];];");
  const auto inputs = make_inputs(program.signature, 2);
  const Doubles a = numbers(inputs->at("A"));
  const Doubles c = numbers(inputs->at("C"));
  const RunResult result = run_ok(program, *inputs);
  const Doubles d = numbers(result.outputs.at("D"));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += static_cast<float>(a[i * 4 + k]) * static_cast<float>(c[k * 4 + j]);
      EXPECT_EQ(d[i * 4 + j], static_cast<double>(sum));
    }
  }
}

TEST(Scope, BlocksMayInterleaveInAPerfectNest) {
  // The block loop is inside: each block keeps its own running sum over c.
  EXPECT_EQ(
      output("@output D "
             "i64[2,3]\nB^{1}_{tx=0}L^{3}_{c=0}B^{2}_{bx=0}[E^{i64,s}=E^{i64,s}+c+bx;D^{i64,g}_{bx,c}=E^{i64,s};];",
             "D"),
      (Doubles{0, 1, 3, 1, 3, 6}));
}

TEST(Scope, HostLoopsLaunchAgain) {
  // One kernel, launched three times: E starts afresh in each launch.
  EXPECT_EQ(
      output("@output D i64[3]\nL^{3}_{a=0}B^{1}_{tx=0}L^{2}_{c=0}[E^{i64,l}=E^{i64,l}+a+c;D^{i64,g}_{a}=E^{i64,l};];",
             "D"),
      (Doubles{1, 3, 5}));
  EXPECT_EQ(
      output("@output D "
             "i64[3]\nL^{3}_{a=0}[B^{1}_{tx=0}[L^{2}_{c=0}[E^{i64,l}=E^{i64,l}+a+c;];D^{i64,g}_{a}=E^{i64,l};];];",
             "D"),
      (Doubles{1, 3, 5}));
  // Inside the kernel the same loop is no host loop, and the sum goes on.
  EXPECT_EQ(
      output("@output D i64[3]\nB^{1}_{tx=0}L^{3}_{a=0}L^{2}_{c=0}[E^{i64,l}=E^{i64,l}+a+c;D^{i64,g}_{a}=E^{i64,l};];",
             "D"),
      (Doubles{1, 4, 9}));
  // Without any B the expression is one kernel of one thread, launched once.
  EXPECT_EQ(output("@output D i64[3]\nL^{3}_{a=0}L^{2}_{c=0}[E^{i64,l}=E^{i64,l}+a+c;D^{i64,g}_{a}=E^{i64,l};];", "D"),
            (Doubles{1, 4, 9}));
}

TEST(Scope, ItemsWithoutAThreadLoopRunOnce) {
  EXPECT_EQ(
      output("@output D i64[4]\nB^{2}_{bx=0}[E^{i64,s}=bx*100;B^{2}_{tx=0}[D^{i64,g}_{bx*2+tx}=E^{i64,s}+tx;];];", "D"),
      (Doubles{0, 1, 100, 101}));
}

TEST(Scope, AxesMustAgree) {
  const Trap local =
      trap_of("@output D f32[4]\nB^{1}_{bx=0}[B^{4}_{tx=0}[E^{f32,l}=tx;];B^{4}_{ty=0}[D^{f32,g}_{ty}=E^{f32,l};];];");
  EXPECT_EQ(local.kind, TrapKind::scope_axes) << local.message;
  EXPECT_EQ(to_text(*local.site), "0/1/0:right");
  const Trap shared = trap_of("@output D f32[4]\nB^{4}_{tx=0}[B^{4}_{bx=0}[E^{f32,s}=tx;];D^{f32,g}_{tx}=E^{f32,s};];");
  EXPECT_EQ(shared.kind, TrapKind::scope_axes) << shared.message;
}

TEST(Scope, DemotedTensorsLiveInGlobal) {
  EXPECT_EQ(
      output("@output D i64[3]\nB^{3}_{tx=0}[E^{i64,l}_{tx}=tx*2;];B^{3}_{tx=0}[D^{i64,g}_{tx}=E^{i64,l}_{2-tx};];",
             "D"),
      (Doubles{4, 2, 0}));
  EXPECT_EQ(
      output("@output D i64[3]\nB^{3}_{bx=0}[E^{i64,s}_{bx}=bx*2;];B^{3}_{ty=0}[D^{i64,g}_{ty}=E^{i64,s}_{2-ty};];",
             "D"),
      (Doubles{4, 2, 0}));
  // Sibling nests under a host loop are two kernels.
  EXPECT_EQ(
      output("@output D "
             "i64[2]\nL^{2}_{a=0}[B^{2}_{tx=0}[E^{i64,l}_{tx}=a+tx;];B^{1}_{tx=0}[D^{i64,g}_{a}=E^{i64,l}_{1};];];",
             "D"),
      (Doubles{1, 2}));
  // A sum per thread: both scopes agree as long as every thread has its own element.
  EXPECT_EQ(output("@input A f32[4,3]\n@output D f32[4]\n"
                   "B^{4}_{tx=0}L^{3}_{a=0}[E^{f32,l}_{tx}=E^{f32,l}_{tx}+A^{f32,g}_{tx,a};];B^{4}_{tx=0}[D^{f32,g}_{"
                   "tx}=E^{f32,l}_{tx};];",
                   "D", kRows),
            (Doubles{6, 15, 24, 33}));
}

TEST(Scope, AmbiguousWhereScopeAndGlobalDiffer) {
  // Each thread would start its own sum; in g they would share one.
  const Trap shared_sum = trap_of(
      "@input A f32[4,3]\n@output D "
      "f32[1]\nB^{4}_{tx=0}L^{3}_{a=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{tx,a};];B^{1}_{tx=0}[D^{f32,g}_{tx}=E^{f32,l};];",
      kRows);
  EXPECT_EQ(shared_sum.kind, TrapKind::scope_ambiguous) << shared_sum.message;
  EXPECT_EQ(to_text(*shared_sum.site), "0/0:right.0");
  EXPECT_EQ(shared_sum.iteration, (std::vector<std::pair<std::string, std::int64_t>>{{"tx", 1}, {"a", 0}}));
  // A sum over launches.
  EXPECT_EQ(trap_of("@input A f32[4,3]\n@output D "
                    "f32[3]\nL^{4}_{a=0}B^{3}_{tx=0}[E^{f32,l}_{tx}=E^{f32,l}_{tx}+A^{f32,g}_{a,tx};];"
                    "B^{3}_{tx=0}[D^{f32,g}_{tx}=E^{f32,l}_{tx};];",
                    kRows)
                .kind,
            TrapKind::scope_ambiguous);
  // A plain read of what another thread of the same launch wrote.
  EXPECT_EQ(trap_of("@output D i64[3]\n@output F "
                    "i64[3]\nB^{1}_{bx=0}[B^{3}_{tx=0}[E^{i64,l}=tx;];B^{3}_{tx=0}[D^{i64,g}_{tx}=E^{i64,l};];];"
                    "B^{3}_{tx=0}[F^{i64,g}_{tx}=E^{i64,l};];")
                .kind,
            TrapKind::scope_ambiguous);
  // The same with equal values is not ambiguous: nothing would differ.
  EXPECT_EQ(output("@output D i64[3]\n@output F "
                   "i64[3]\nB^{1}_{bx=0}[B^{3}_{tx=0}[E^{i64,l}=7;];B^{3}_{tx=0}[D^{i64,g}_{tx}=E^{i64,l};];];"
                   "B^{3}_{tx=0}[F^{i64,g}_{tx}=E^{i64,l};];",
                   "F"),
            (Doubles{7, 7, 7}));
  // An accumulator that an earlier kernel set to the identity: fresh or not, it starts the same.
  EXPECT_EQ(output("@output D "
                   "i64[2]\nB^{2}_{tx=0}[E^{i64,l}_{tx}=0;];B^{2}_{tx=0}L^{3}_{a=0}[E^{i64,l}_{tx}=E^{i64,l}_{tx}+a;];"
                   "B^{2}_{tx=0}[D^{i64,g}_{tx}=E^{i64,l}_{tx};];",
                   "D"),
            (Doubles{3, 3}));
  EXPECT_EQ(trap_of("@output D "
                    "i64[2]\nB^{2}_{tx=0}[E^{i64,l}_{tx}=1;];B^{2}_{tx=0}L^{3}_{a=0}[E^{i64,l}_{tx}=E^{i64,l}_{tx}+a;];"
                    "B^{2}_{tx=0}[D^{i64,g}_{tx}=E^{i64,l}_{tx};];")
                .kind,
            TrapKind::scope_ambiguous);
}

}  // namespace
}  // namespace steptp::testing
