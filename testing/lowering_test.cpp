// What back ends share: buffers, kernels, homes of scoped data, barriers and collectives; and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/llvm/lower.h"
#include "steptp/lowering/homes.h"
#include "steptp/lowering/host_condition.h"
#include "steptp/lowering/offsets.h"
#include "steptp/lowering/threads.h"
#include "steptp/text/document.h"
#include "steptp/tir/lower.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

Program program_of(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << render(document.diagnostics, *document.source);
  return document.program;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++found;
  return found;
}

std::string cuda_of(const std::string& text) {
  const auto made = cuda::lower(program_of(text));
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made ? made->text : "";
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
  EXPECT_TRUE(lowering::is_aligned_run(run, "c", 4));
  EXPECT_FALSE(lowering::is_aligned_run(run, "c", 8));
  EXPECT_FALSE(lowering::is_aligned_run(run, "a", 4));
  EXPECT_FALSE(lowering::is_aligned_run(*Index::add(run, Index::constant(1)), "c", 4));
  EXPECT_FALSE(lowering::is_aligned_run(times("c", 2), "c", 2));
  EXPECT_FALSE(lowering::is_aligned_run(*Index::floor_divide(run, Index::constant(3)), "c", 1));
}

TEST(HostConditions, AreDecidedByLoops) {
  const Program program = program_of(
      "@input A f32[9]\n@output D f32[9]\nB^{9}_{tx=0}?{tx*2-1<7&tx//2!=1|tx==8}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];");
  const auto condition = lowering::condition_value(*program.nests[0]->guard);
  for (std::int64_t tx = 0; tx < 9; ++tx) {
    EXPECT_EQ(lowering::holds(*condition, {{"tx", tx}}), (tx * 2 - 1 < 7 && tx / 2 != 1) || tx == 8) << tx;
  }
}

TEST(CudaText, BarriersStandOnlyWhereDataPasses) {
  const std::string own = cuda_of(
      "@input A f32[2,8]\n@output D f32[2,8]\nB^{2}_{bx=0}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bx,tx};];"
      "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}_{tx};];];");
  EXPECT_EQ(count(own, "__syncthreads"), 0U);
  const std::string others = cuda_of(
      "@input A f32[2,8]\n@output D f32[2,8]\nB^{2}_{bx=0}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bx,tx};];"
      "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}_{7-tx};];];");
  EXPECT_EQ(count(others, "__syncthreads"), 1U);
}

TEST(CudaText, VectorsOnlyWhereAlignmentIsShown) {
  const auto text = [](const char* subscript) {
    return cuda_of(
        concat("@input A f32[8,20]\n@output D "
               "f32[8,16]\nB^{8}_{tx=0}L^{4}_{a=0}V^{4}_{c=0}[D^{f32,g}_{tx,a*4+c}=A^{f32,g}_{tx,",
               subscript, "};];"));
  };
  EXPECT_NE(text("a*4+c").find("const stp_vector<float, 4> stp_v0 = "), std::string::npos);
  EXPECT_EQ(text("a*4+c+1").find("stp_v0"), std::string::npos);
  EXPECT_EQ(text("a*2+c").find("stp_v0"), std::string::npos);
  EXPECT_EQ(text("c*4+a").find("stp_v0"), std::string::npos);
}

TEST(CudaText, NothingIsPromisedBesideConditionalReadsOfWhatIsWritten) {
  const auto text = [](const char* value) {
    return cuda_of(
        concat("@input A f32[8]\n@output D f32[8]\nB^{8}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx}*2;D^{f32,g}_{tx}=", value,
               ";];"));
  };
  EXPECT_NE(text("E^{f32,g}_{tx}+A^{f32,g}_{7-tx}").find("const float* __restrict__ A"), std::string::npos);
  // nvcc reads either address through the cache of read-only data.
  const std::string chosen = text("if_then_else(E^{f32,g}_{tx}<1,E^{f32,g}_{tx},A^{f32,g}_{7-tx})");
  EXPECT_NE(chosen.find("const float* A"), std::string::npos);
  EXPECT_EQ(chosen.find("__restrict__ A"), std::string::npos);
  const std::string guarded = cuda_of(
      "@input A f32[8]\n@output D f32[8]\nB^{8}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx}*2;"
      "L^{1}_{a=0}?{tx<4}[D^{f32,g}_{tx}=E^{f32,g}_{tx};];L^{1}_{a=0}?{tx>=4}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];];");
  EXPECT_EQ(guarded.find("__restrict__ A"), std::string::npos);
}

TEST(CudaText, SquaresAndCubesAreProductsInEveryType) {
  for (const char* dtype : {"f16", "bf16", "f32", "f64"}) {
    const auto text = [dtype](const char* exponent) {
      return cuda_of(concat("@input A ", dtype, "[8]\n@output D ", dtype, "[8]\nB^{8}_{tx=0}[D^{", dtype,
                            ",g}_{tx}=A^{", dtype, ",g}_{tx}**", exponent, ";];"));
    };
    for (const char* exponent : {"2", "2.0"}) {
      EXPECT_EQ(count(text(exponent), "D[tx_] = stp_square<"), 1U) << dtype;
      EXPECT_EQ(count(text(exponent), "stp_pow"), 0U) << dtype;
    }
    EXPECT_EQ(count(text("3"), "D[tx_] = stp_cube<"), 1U) << dtype;
    EXPECT_GT(count(text("2.5"), "stp_pow"), 0U) << dtype;
  }
}

TEST(CudaText, WideIndicesOnlyWhereNeeded) {
  const std::string narrow = cuda_of(
      "@input A f32[1024,4096]\n@output D "
      "f32[1024,4096]\nB^{1024}_{tx=0}L^{4096}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];");
  EXPECT_EQ(narrow.find("(long long)tx_"), std::string::npos);
  const std::string wide = cuda_of(
      "@input A f32[1024,4194304]\n@output D "
      "f32[1024,4]\nB^{1024}_{tx=0}L^{4}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];");
  EXPECT_NE(wide.find("A[((long long)tx_ * 4194304LL"), std::string::npos);
  EXPECT_EQ(wide.find("D[((long long)"), std::string::npos);
}

/// Blocks that accumulate into one element are launched in turn: a test on a CPU, where they run so anyway, does not
/// see whether they are.
TEST(CudaText, BlocksThatReduceRunInTurn) {
  const auto kernel = [](const std::string& text) {
    const auto made = cuda::lower(program_of(text));
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made->launches.find("kernels")->as_array()->back();
  };
  const Json sum = kernel(
      "@input A f32[4,3]\n@output D "
      "f32[3]\nB^{4}_{bx=0}B^{3}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{bx,tx};];");
  EXPECT_EQ(sum.find("in_turn")->dump(), "[\"bx\"]");
  EXPECT_EQ(sum.find("grid")->dump(), "[1,1,1]");
  const Json scattered = kernel(
      "@input A f32[4]\n@input C i32[4]\n@output D f32[4]\nB^{4}_{bx=0}[D^{f32,g}_{bx}=0;];"
      "B^{4}_{bx=0}[D^{f32,g}_{C^{i32,g}_{bx}}=D^{f32,g}_{C^{i32,g}_{bx}}+A^{f32,g}_{bx};];");
  EXPECT_EQ(scattered.find("in_turn")->dump(), "[\"bx\"]");
  const Json own = kernel(
      "@input A f32[4,3]\n@output D f32[4]\nB^{4}_{bx=0}L^{3}_{a=0}[D^{f32,g}_{bx}=D^{f32,g}_{bx}+A^{f32,g}_{bx,a};];");
  EXPECT_EQ(own.find("in_turn")->dump(), "[]");
  EXPECT_EQ(own.find("grid")->dump(), "[4,1,1]");
}

TEST(CudaText, IsTheSameTwice) {
  for (const Judged& one : generated(3, 10)) {
    EXPECT_EQ(cuda::lower(one.program).value().text, cuda::lower(one.program).value().text);
    EXPECT_EQ(llvm_ir::lower(one.program).value().text, llvm_ir::lower(one.program).value().text);
  }
}

void expect_cuda_refuses(const std::string& text, const std::string& reason) {
  const auto made = cuda::lower(program_of(text));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().id, "cannot-lower");
  EXPECT_NE(made.error().message.find(reason), std::string::npos) << made.error().message;
  EXPECT_FALSE(made.error().site.empty());
}

TEST(CudaRefuses, LaunchesBeyondTheDevice) {
  expect_cuda_refuses("@output D f32[2048]\nB^{2048}_{tx=0}[D^{f32,g}_{tx}=0;];", "2048 threads along tx");
  expect_cuda_refuses("@output D f32[64,64]\nB^{64}_{tx=0}B^{64}_{ty=0}[D^{f32,g}_{tx,ty}=0;];",
                      "4096 threads in a block");
  expect_cuda_refuses("@output D f32[70000]\nB^{70000}_{by=0}[D^{f32,g}_{by}=0;];", "70000 blocks along by");
}

TEST(CudaRefuses, LoopsThatAnIntDoesNotCount) {
  expect_cuda_refuses(
      "@input A f32[4]\n@output D "
      "f32[4]\nB^{4}_{tx=0}L^{3000000000}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx};];",
      "3000000000 iterations");
}

TEST(CudaRefuses, SharedMemoryBeyondTheDevice) {
  expect_cuda_refuses(
      "@input A f64[32768]\n@output D "
      "f64[32768]\nB^{1}_{bx=0}[B^{64}_{tx=0}L^{512}_{a=0}[E^{f64,s}_{a*64+tx}=A^{f64,g}_{a*64+tx};];"
      "B^{64}_{tx=0}L^{512}_{a=0}[D^{f64,g}_{a*64+tx}=E^{f64,s}_{32767-(a*64+tx)};];];",
      "262144 bytes of shared memory");
}

TEST(CudaRefuses, CollectivesBesideOtherEquations) {
  expect_cuda_refuses(
      "@input A f32[8]\n@output D f32\n@output E f32[8]\nB^{1}_{bx=0}[B^{8}_{tx=0}[D^{f32,g}=D^{f32,g}+A^{f32,g}_{tx};"
      "E^{f32,g}_{tx}=A^{f32,g}_{tx};];];",
      "with other equations");
}

TEST(PlanRefuses, SizesBeyond64Bits) {
  expect_cuda_refuses(
      "@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[E^{f32,g}_{tx*4611686018427387,tx*46116860}=A^{f32,g}_{tx};"
      "D^{f32,g}_{tx}=E^{f32,g}_{tx*4611686018427387,tx*46116860};];",
      "cannot be numbered with 64 bits");
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// f64 has libm's functions; narrower types have ours, and the text only those that it calls.
TEST(LlvmText, FunctionsOfNarrowTypesAreWrittenOut) {
  const auto text_of = [](const std::string& type, const std::string& function) {
    return llvm_ir::lower(program_of(concat("@input A ", type, "[4]\n@output D ", type, "[4]\nB^{4}_{tx=0}[D^{", type,
                                            ",g}_{tx}=", function, "(A^{", type, ",g}_{tx});];")))
        .value()
        .text;
  };
  for (const std::string function : {"exp", "log", "erf", "tanh"}) {
    for (const std::string type : {"f32", "f16", "bf16"}) {
      const std::string text = text_of(type, function);
      EXPECT_NE(text.find(concat("call double @stp_", function, "(")), std::string::npos) << type;
      EXPECT_NE(text.find(concat("define internal double @stp_", function, "(")), std::string::npos) << type;
    }
    EXPECT_NE(text_of("f64", function).find(concat("call double @", function, "(")), std::string::npos);
  }
  EXPECT_EQ(text_of("f32", "exp").find("@stp_log"), std::string::npos);
  EXPECT_EQ(text_of("f64", "exp").find("@stp_exp"), std::string::npos);
}

/// Loops that are not worth it are neither unrolled nor looked at by the vectoriser; V and U are wishes as before.
TEST(LlvmText, WhatIsAskedOfLoops) {
  const auto text_of = [](int rows, const std::string& inner) {
    return llvm_ir::lower(program_of(concat("@input A f32[", rows, ",64]\n@output D f32[", rows, ",64]\nB^{", rows,
                                            "}_{tx=0}", inner, "[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];")))
        .value()
        .text;
  };
  const std::string no_vectors = "vectorize.enable\", i1 false";
  EXPECT_NE(text_of(4, "L^{64}_{a=0}").find("unroll.disable"), std::string::npos);
  EXPECT_EQ(text_of(400, "L^{64}_{a=0}").find("llvm.loop"), std::string::npos);
  EXPECT_NE(text_of(400, "U^{64}_{a=0}").find("unroll.enable"), std::string::npos);
  EXPECT_NE(text_of(400, "U^{64}_{a=0}").find(no_vectors), std::string::npos);
  EXPECT_NE(text_of(400, "V^{64}_{a=0}").find("vectorize.enable\", i1 true"), std::string::npos);
}

/// The older dialect is the same tree with other names, and no others.
TEST(TirText, DialectsDifferInNamesOnly) {
  for (const Judged& one : written_kernels()) {
    for (const DeviceKind target : {DeviceKind::cuda, DeviceKind::cpu}) {
      const auto published = tir::lower(one.program, tir::Dialect::tvm_0_21, target);
      const auto current = tir::lower(one.program, tir::Dialect::tvm_0_27, target);
      ASSERT_EQ(published.ok(), current.ok());
      if (!published) continue;
      std::string text = *published;
      replace_all(text, "tir as T", "tirx as T");
      replace_all(text, "@T.prim_func", "@T.prim_func(s_tir=True)");
      replace_all(text, "tir.noalias", "tirx.noalias");
      replace_all(text, "T.block(", "T.sblock(");
      replace_all(text, "T.alloc_buffer(", "T.sblock_alloc_buffer(");
      EXPECT_EQ(text, *current);
    }
  }
}

std::string tir_of(const std::string& text) {
  const auto made = tir::lower(program_of(text), tir::Dialect::tvm_0_21, DeviceKind::cuda);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made ? *made : "";
}

TEST(TirText, InitOnlyWhereTvmAgrees) {
  const std::string plain = tir_of(
      "@input A f32[4,3]\n@output D f32[4]\nB^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];");
  EXPECT_EQ(count(plain, "with T.init()"), 1U);
  EXPECT_EQ(count(plain, "D_init"), 0U);
  // The first iteration may be left out, so what T.init does would be too.
  const std::string guarded = tir_of(
      "@input A f32[4,3]\n@output D f32[4]\n"
      "B^{4}_{tx=0}L^{3}_{a=0}?{a>0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];");
  EXPECT_EQ(count(guarded, "with T.init()"), 0U);
  EXPECT_EQ(count(guarded, "D_init"), 1U);
  // Two equations write it: the second must not begin anew.
  const std::string twice = tir_of(
      "@input A f32[4,3]\n@output D f32[4]\nB^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];"
      "B^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*2;];");
  EXPECT_EQ(count(twice, "with T.init()"), 0U);
  // Two points of the spatial axes meet in one element.
  const std::string meeting = tir_of(
      "@input A f32[4,3]\n@output D "
      "f32[6]\nB^{1}_{tx=0}L^{4}_{a=0}L^{3}_{c=0}[D^{f32,g}_{a+c}=D^{f32,g}_{a+c}+A^{f32,g}_{a,c};];");
  EXPECT_EQ(count(meeting, "with T.init()"), 0U);
}

TEST(TirText, LiteralsBeyondTheirTypeAreInfinite) {
  const std::string halves = tir_of(
      "@input A f16[4]\n@output D f16[4]\n"
      "B^{4}_{tx=0}[D^{f16,g}_{tx}=A^{f16,g}_{tx}/65519+A^{f16,g}_{tx}/65520+A^{f16,g}_{tx}/129710.0;];");
  EXPECT_EQ(count(halves, "T.float16(65519)"), 1U) << halves;
  EXPECT_EQ(count(halves, "T.float16(\"inf\")"), 2U) << halves;
}

TEST(TirText, ErfOfHalvesForCpusIsOfFloats) {
  const std::string text = "@input A f16[4]\n@output D f16[4]\nB^{4}_{tx=0}[D^{f16,g}_{tx}=erf(A^{f16,g}_{tx});];";
  EXPECT_EQ(count(tir_of(text), "= T.erf(A[v_tx])"), 1U);
  const auto serial = tir::lower(program_of(text), tir::Dialect::tvm_0_21, DeviceKind::cpu);
  ASSERT_TRUE(serial.ok());
  EXPECT_EQ(count(*serial, "T.Cast(\"float16\", T.erf(T.Cast(\"float32\", A[v_tx])))"), 1U) << *serial;
}

void expect_tir_refuses(const std::string& text, const std::string& reason) {
  const auto made = tir::lower(program_of(text), tir::Dialect::tvm_0_27, DeviceKind::cuda);
  ASSERT_FALSE(made.ok()) << *made;
  EXPECT_NE(made.error().message.find(reason), std::string::npos) << made.error().message;
  EXPECT_FALSE(made.error().site.empty());
}

TEST(TirRefuses, WhatTvmGivesAnotherMeaning) {
  expect_tir_refuses("@input A f32[4]\n@output D f32[4]\nL^{4}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a};];",
                     "without a bound loop");
  expect_tir_refuses(
      "@input A f32[4,8]\n@output D f32\nB^{4}_{bx=0}B^{8}_{tx=0}[D^{f32,g}=D^{f32,g}+A^{f32,g}_{bx,tx};];",
      "no reduction over blocks");
  expect_tir_refuses(
      "@input A f32[2,8]\n@output D f32[2,8]\n@output E "
      "f32[2,8]\nB^{2}_{bx=0}[B^{8}_{tx=0}[E^{f32,g}_{bx,tx}=A^{f32,g}_{bx,tx};];"
      "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,g}_{bx,7-tx};];];",
      "no barrier");
  expect_tir_refuses(
      "@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx};D^{f32,g}_{tx}=E^{f32,g}_{tx};];",
      "one kernel alone");
  expect_tir_refuses(
      "@input A f32[3,8]\n@output D f32[3]\nB^{3}_{bx=0}[B^{8}_{tx=0}[E^{f32,s}=max(E^{f32,s},A^{f32,g}_{bx,tx});];"
      "D^{f32,g}_{bx}=E^{f32,s};];",
      "other identities");
  expect_tir_refuses(
      "@input A f32[2,4]\n@output D f32[2,4]\nB^{2}_{bx=0}[L^{4}_{a=0}[E^{f32,s}=E^{f32,s}+A^{f32,g}_{bx,a};];"
      "B^{4}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s};];];",
      "inside the condition");
  expect_tir_refuses("@input A f32[4]\n@output D i32[4]\nB^{4}_{tx=0}[D^{i32,g}_{tx}=A^{f32,g}_{tx};];", "saturate");
  expect_tir_refuses("@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}//2;];",
                     "of floats");
  expect_tir_refuses("@input A u8[4]\n@output D u8[4]\nB^{4}_{tx=0}[D^{u8,g}_{tx}=A^{u8,g}_{tx}-2;];", "u8");
  expect_tir_refuses("@input A i32[4]\n@output D i32[4]\nB^{4}_{tx=0}[D^{i32,g}_{tx}=A^{i32,g}_{tx}**9;];",
                     "integer power");
}

}  // namespace
}  // namespace steptp::testing
