// Inputs that stay on the device: copied there once, and never believed to be whole.
#include "steptp/execution/cuda_inputs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "built_files.h"
#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/measure/time_programs.h"
#include "steptp/text/document.h"

namespace steptp::testing {
namespace {

class CudaInputsKept : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made.ok());
    folder_.emplace(std::move(made).value());
    setenv("STEPTP_CUDA_DRIVER", FAKE_CUDA_DRIVER, 1);
    setenv("STEPTP_NVRTC", FAKE_CUDA_NVRTC, 1);
    setenv("FAKE_CUDA_LOG", folder_->file("log").c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"STEPTP_CUDA_DRIVER", "STEPTP_NVRTC", "FAKE_CUDA_LOG", "FAKE_CUDA_MEMORY"}) unsetenv(name);
  }
  [[nodiscard]] std::size_t count(const std::string& call) const {
    const auto text = read_file(folder_->file("log"));
    std::size_t found = 0;
    for (std::size_t at = 0; text && (at = text->find(call, at)) != std::string::npos; at += call.size()) ++found;
    return found;
  }
  std::optional<TemporaryFolder> folder_;
};

Tensor tensor_of(std::size_t bytes) {
  Tensor out{DType::u8, {static_cast<std::int64_t>(bytes)}, std::vector<std::byte>(bytes)};
  for (std::size_t i = 0; i < bytes; ++i) out.data[i] = static_cast<std::byte>(i * 37 + 11);
  return out;
}

TEST_F(CudaInputsKept, AnyChangedByteIsFound) {
  auto device = CudaDevice::open(0);
  ASSERT_TRUE(device.ok()) << device.error().message;
  CudaInputs inputs(**device, folder_->file("cache"));
  for (const std::size_t bytes : {1U, 8U, 13U, 4099U}) {
    const Tensor tensor = tensor_of(bytes);
    inputs.forget();
    std::size_t found = 0;
    for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1}) {
      auto input = inputs.take("A", tensor);
      ASSERT_NE(input, nullptr);
      // The memory of the fake device is memory.
      auto* data = reinterpret_cast<unsigned char*>(input->begin());
      EXPECT_EQ(std::memcmp(data, tensor.data.data(), bytes), 0);
      EXPECT_TRUE(inputs.is_whole(*input).value());
      data[at] = static_cast<unsigned char>(data[at] ^ 1);
      EXPECT_FALSE(inputs.is_whole(*input).value()) << bytes << " " << at;
      inputs.give_back("A", input, false);
      ++found;
    }
    EXPECT_EQ(found, 3U);
  }
  EXPECT_EQ(count("nvrtcCompileProgram"), 1U);
}

TEST_F(CudaInputsKept, OneSessionHasThem) {
  auto device = CudaDevice::open(0);
  ASSERT_TRUE(device.ok()) << device.error().message;
  CudaInputs inputs(**device, folder_->file("cache"));
  const Tensor tensor = tensor_of(100);
  const auto first = inputs.take("A", tensor);
  ASSERT_NE(first, nullptr);
  EXPECT_FALSE(inputs.has("A", 100));
  EXPECT_EQ(inputs.take("A", tensor), nullptr) << "another session has it";
  const auto copies = count("cuMemcpyHtoD_v2");
  inputs.give_back("A", first, true);
  EXPECT_TRUE(inputs.has("A", 100));
  EXPECT_FALSE(inputs.has("A", 99));
  EXPECT_EQ(inputs.take("A", tensor), first);
  EXPECT_EQ(count("cuMemcpyHtoD_v2"), copies) << "it was there";
  inputs.give_back("A", first, true);
  EXPECT_EQ(inputs.take("A", tensor_of(101)), nullptr) << "of another size";
  // New data: who has the old one keeps it, and does not bring it back.
  const auto held = inputs.take("A", tensor);
  inputs.forget();
  const auto second = inputs.take("A", tensor);
  EXPECT_NE(second, held);
  inputs.give_back("A", held, true);
  EXPECT_FALSE(inputs.has("A", 100));
  inputs.give_back("A", second, true);
  EXPECT_EQ(inputs.take("A", tensor), second);
  setenv("FAKE_CUDA_MEMORY", "4000", 1);
  EXPECT_EQ(inputs.take("C", tensor_of(1001)), nullptr) << "no room";
}

/// Through a worker: the second candidate copies nothing, and neither brings inputs back.
TEST_F(CudaInputsKept, CandidatesShareTheInputsOfTheirRoot) {
  const std::string head = "@input A f32[256]\n@input C f32[256]\n@output D f32[256]\n";
  const auto program_of = [&](const std::string& text) { return read_document("test", head + text).program; };
  const Program root = program_of("B^{256}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}+C^{f32,g}_{tx};];");
  const Program second = program_of("B^{256}_{tx=0}[D^{f32,g}_{tx}=C^{f32,g}_{tx}+A^{f32,g}_{tx};];");
  CandidateOptions how;
  how.worker = {STEPTP_BINARY, "worker"};
  how.device = DeviceKind::cuda;
  how.cache = folder_->file("cache");
  CandidatePool pool(how, 1);
  const RootElements elements(root, 1, 1'000'000, "");
  std::size_t copies = 0;
  for (const Program* program : {&root, &second}) {
    TimeRequest request;
    request.programs = {program};
    request.root = &elements;
    request.budget_seconds = 0.02;
    const auto answer = time_programs(pool, request);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->timings[0].status, Timing::Status::ok) << answer->timings[0].failure.diagnostic.message;
    if (program == &root) copies = count("cuMemcpyHtoD_v2");
  }
  EXPECT_EQ(copies, 4U) << "two inputs, twice each";
  EXPECT_EQ(count("cuMemcpyHtoD_v2"), copies);
  EXPECT_EQ(count("cuLaunchKernel compare_words"), 4U) << "two inputs of two candidates";
  EXPECT_EQ(pool.workers().started(), 1U);
  // Both in one run: the second has copies of its own.
  TimeRequest request;
  request.programs = {&root, &second};
  request.budget_seconds = 0.02;
  const auto answer = time_programs(pool, request);
  ASSERT_TRUE(answer.ok());
  for (const Timing& timing : answer->timings) EXPECT_EQ(timing.status, Timing::Status::ok);
}

}  // namespace
}  // namespace steptp::testing
