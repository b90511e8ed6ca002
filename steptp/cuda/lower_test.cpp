// The text of CUDA, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/text/document.h"
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

}  // namespace
}  // namespace steptp::testing
