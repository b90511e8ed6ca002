// Programs on memory and streams of others, on a GPU that is emulated (testing/fake_cuda): its memory is the host's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "built_files.h"
#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/execution/kernel_set.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

/// Sixteen launches in turn of a host loop, a workspace, and an accumulator.
constexpr const char* kSteps =
    "@program Steps\n@input A f32[4,32]\n@output D f32[32]\n"
    "L^{4}_{a=0}[B^{32}_{tx=0}[C^{f32,g}_{a,tx}=A^{f32,g}_{a,tx}*2.0;];];"
    "B^{32}_{tx=0}L^{4}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+C^{f32,g}_{a,tx};];";

TEST(KernelSetCuda, LaunchesOnTheStreamOfTheCallerAndAllocatesNothing) {
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const std::string log = folder->file("log");
  setenv("STEPTP_CUDA_DRIVER", FAKE_CUDA_DRIVER, 1);
  setenv("STEPTP_NVRTC", FAKE_CUDA_NVRTC, 1);
  setenv("FAKE_CUDA_LOG", log.c_str(), 1);
  auto device = CudaDevice::open(0);
  ASSERT_TRUE(device.ok()) << device.error().message;
  Document document = read_document("test", kSteps);
  ASSERT_TRUE(document.ok);
  const auto expected = judged("steps", document.program);
  ASSERT_TRUE(expected.has_value());
  std::shared_ptr<CudaDevice> shared = std::move(device).value();
  auto made = compile_for_gpu(document.program, shared, ObjectCache(), Arithmetic::exact);
  ASSERT_TRUE(made.ok()) << made.error().message;
  KernelSet& kernels = **made;
  EXPECT_EQ(kernels.kernels(), 2U);
  EXPECT_GE(kernels.workspace_bytes(), 4 * 32 * 4);

  alignas(16) std::byte input[4 * 32 * 4];
  alignas(16) std::byte output[32 * 4];
  std::memcpy(input, expected->inputs.at("A").data.data(), sizeof input);
  std::vector<std::byte> workspace(static_cast<std::size_t>(kernels.workspace_bytes()) + 16);
  void* tensors[] = {input, output};
  const auto failure = kernels.call({tensors, workspace.data(), shared->stream(), 1});
  ASSERT_FALSE(failure.has_value()) << failure->diagnostic.message;
  ASSERT_EQ(shared->driver().context_synchronize(), 0);
  const Tensors got{{"D", Tensor{DType::f32, {32}, {output, output + sizeof output}}}};
  EXPECT_EQ(compare_outputs(got, expected->outputs, 1e-6).first, "");

  // A maximum over the same memory, with and without NaN.
  const Document maximum = read_document(
      "test", "@input A f32[4]\n@output D f32\nB^{1}_{tx=0}L^{4}_{a=0}[D^{f32,g}=max(D^{f32,g},A^{f32,g}_{a});];");
  ASSERT_TRUE(maximum.ok);
  for (const bool stays : {false, true}) {
    auto rules = compile_for_gpu(maximum.program, shared, ObjectCache(), FloatRules(Arithmetic::exact, stays));
    ASSERT_TRUE(rules.ok()) << rules.error().message;
    alignas(16) float given[4] = {1, std::numeric_limits<float>::quiet_NaN(), 3, 2};
    alignas(16) float greatest[4] = {};
    void* both[] = {given, greatest};
    ASSERT_FALSE((*rules)->call({both, nullptr, shared->stream(), 1}).has_value());
    ASSERT_EQ(shared->driver().context_synchronize(), 0);
    EXPECT_EQ(std::isnan(greatest[0]), stays) << greatest[0];
  }

  auto text = read_file(log);
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("cuLaunchKernel kernel_1"), std::string::npos) << *text;
  EXPECT_EQ(text->find("cuMemAlloc"), std::string::npos) << *text;
}

}  // namespace
}  // namespace steptp::testing
