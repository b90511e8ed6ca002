// Running on CUDA, without a GPU: a fake driver and a fake NVRTC (testing/fake_cuda) run the kernels on the emulation
// of threads, note every call, and fail where they are told to.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "built_files.h"
#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/execution/cuda_program.h"
#include "steptp/measure/candidate_pool.h"
#include "steptp/measure/expected.h"
#include "steptp/measure/time_programs.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

namespace fs = std::filesystem;

/// Sixteen launches in turn of a host loop, a workspace, and an accumulator that has to be filled.
constexpr const char* kSteps =
    "@program Steps\n@input A f32[4,32]\n@output D f32[32]\n"
    "L^{4}_{a=0}[B^{32}_{tx=0}[C^{f32,g}_{a,tx}=A^{f32,g}_{a,tx}*2.0;];];"
    "B^{32}_{tx=0}L^{4}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+C^{f32,g}_{a,tx};];";
/// 64 KiB of shared memory: more than a kernel gets without asking.
constexpr const char* kShared =
    "@program Shared\n@input A f32[16384]\n@output D f32[64]\n"
    "B^{1}_{bx=0}[B^{64}_{tx=0}L^{256}_{a=0}[E^{f32,s}_{a*64+tx}=A^{f32,g}_{a*64+tx};];"
    "B^{64}_{tx=0}L^{256}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+E^{f32,s}_{a*64+63-tx};];];";
/// Blocks that accumulate into one element: they are launched one after another.
constexpr const char* kInTurn =
    "@program InTurn\n@input A f32[3,5,8]\n@output D f32[8]\n"
    "B^{3}_{bx=0}B^{5}_{by=0}B^{8}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{bx,by,tx};];";
constexpr const char* kHalf =
    "@program Half\n@input A f16[32]\n@output D f16[32]\nB^{32}_{tx=0}[D^{f16,g}_{tx}=A^{f16,g}_{tx}*2.0;];";
constexpr const char* kCopy =
    "@program Copy\n@input A f32[32]\n@output D f32[32]\nB^{32}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];";

Program program_of(const char* text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

class CudaExecution : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made.ok());
    folder_.emplace(std::move(made).value());
    set("STEPTP_CUDA_DRIVER", FAKE_CUDA_DRIVER);
    set("STEPTP_NVRTC", FAKE_CUDA_NVRTC);
    set("FAKE_CUDA_LOG", folder_->file("log"));
    // The headers of half types are those of the emulation, wherever they would be looked for.
    set("CUDA_HOME", folder_->file("toolkit"));
  }
  void TearDown() override {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }
  [[nodiscard]] CandidateOptions options() const {
    CandidateOptions out;
    out.worker = {STEPTP_BINARY, "worker"};
    out.device = DeviceKind::cuda;
    out.cache = folder_->file("cache");
    out.seconds = 60;
    return out;
  }
  [[nodiscard]] std::string log() const {
    auto text = read_file(folder_->file("log"));
    return text ? *text : std::string();
  }
  [[nodiscard]] std::size_t count(const std::string& line) const {
    const std::string text = log();
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(line, at)) != std::string::npos; at += line.size()) ++found;
    return found;
  }

  /// Runs it and compares with the oracle.
  void expect_values(CandidatePool& pool, const char* text) {
    const auto one = judged("test", program_of(text));
    ASSERT_TRUE(one.has_value()) << text;
    const auto ran = pool.run(one->program, one->inputs);
    ASSERT_TRUE(ran.ok()) << ran.error().diagnostic.message;
    EXPECT_EQ(compare_outputs(ran->outputs, one->outputs, 1e-6).first, "") << text;
  }
  Result<CandidatePool::Ran, ExecutionFailure> run_copy() {
    CandidatePool pool(options(), 1);
    const Program program = program_of(kCopy);
    return pool.run(program, drawn_inputs(program, 1).value());
  }
  void expect_failure(const char* id, const std::string& message) {
    const auto ran = run_copy();
    ASSERT_FALSE(ran.ok());
    EXPECT_EQ(ran.error().diagnostic.id, id) << ran.error().diagnostic.message;
    EXPECT_NE(ran.error().diagnostic.message.find(message), std::string::npos) << ran.error().diagnostic.message;
  }

  std::optional<TemporaryFolder> folder_;
  std::vector<std::string> names_;
};

TEST_F(CudaExecution, LaunchListsGiveTheValuesOfTheOracle) {
  CandidatePool pool(options(), 1);
  expect_values(pool, kSteps);
  EXPECT_EQ(count("cuLaunchKernel kernel_0 1,1,1 32,1,1 0"), 4U) << log();
  EXPECT_EQ(count("cuLaunchKernel kernel_1"), 1U);
  EXPECT_EQ(count("cuLaunchKernel fill_D"), 0U) << "its sums begin in registers";
  expect_values(pool, kInTurn);
  EXPECT_EQ(count("cuLaunchKernel fill_D"), 1U);
  EXPECT_EQ(count("cuLaunchKernel kernel_0 1,1,1 8,1,1 0"), 15U) << log();
  expect_values(pool, kShared);
  EXPECT_EQ(count("cuFuncSetAttribute kernel_0 65536"), 1U) << log();
  EXPECT_EQ(count("cuLaunchKernel kernel_0 1,1,1 64,1,1 65536"), 1U);
  EXPECT_EQ(pool.workers().started(), 1U);
  EXPECT_EQ(count("nvrtcCompileProgram --gpu-architecture=sm_90"), 3U);
  // All of it is given back: what is allocated is freed.
  EXPECT_EQ(count("cuMemAlloc_v2"), count("cuMemFree_v2"));
}

TEST_F(CudaExecution, WrittenKernels) {
  CandidatePool pool(options(), 1);
  std::size_t number = 0;
  for (const Judged& one : written_kernels()) {
    if (++number % 6 != 0) continue;
    const auto ran = pool.run(one.program, one.inputs);
    ASSERT_TRUE(ran.ok()) << one.name << ": " << ran.error().diagnostic.message;
    EXPECT_EQ(compare_outputs(ran->outputs, one.outputs, 1e-6).first, "") << one.name;
  }
  EXPECT_GT(number, 12U);
}

TEST_F(CudaExecution, HalfTypesNeedHeaders) {
  {
    CandidatePool pool(options(), 1);
    const Program program = program_of(kHalf);
    const auto ran = pool.run(program, drawn_inputs(program, 1).value());
    if (fs::exists("/usr/include/cuda_fp16.h") || fs::exists("/usr/local/cuda/include/cuda_fp16.h")) {
      EXPECT_TRUE(ran.ok());
    } else {
      ASSERT_FALSE(ran.ok());
      EXPECT_EQ(ran.error().diagnostic.id, "no-nvrtc");
      EXPECT_NE(ran.error().diagnostic.message.find("cuda_fp16.h"), std::string::npos);
    }
  }
  fs::create_directories(folder_->file("toolkit/include"));
  ASSERT_TRUE(write_file(folder_->file("toolkit/include/cuda_fp16.h"), "").ok());
  CandidatePool pool(options(), 1);
  expect_values(pool, kHalf);
  EXPECT_EQ(count("--include-path=" + folder_->file("toolkit/include")), 1U) << log();
}

TEST_F(CudaExecution, CubinsAreKept) {
  ASSERT_TRUE(run_copy().ok());
  ASSERT_TRUE(run_copy().ok());
  EXPECT_EQ(count("nvrtcCompileProgram"), 1U);
  // A cubin that was damaged in the cache, or that the driver does not load, is compiled again.
  for (const auto& entry : fs::recursive_directory_iterator(folder_->file("cache"))) {
    if (!entry.is_regular_file()) continue;
    std::string text = read_file(entry.path()).value();
    text[200] = static_cast<char>(text[200] ^ 1);
    ASSERT_TRUE(write_file(entry.path(), text).ok());
  }
  ASSERT_TRUE(run_copy().ok());
  EXPECT_EQ(count("nvrtcCompileProgram"), 2U);
  set("FAKE_NVRTC_ARCHS", "75 80");
  ASSERT_TRUE(run_copy().ok());
  EXPECT_EQ(count("nvrtcCompileProgram --gpu-architecture=compute_80"), 1U) << "an older NVRTC gives PTX\n" << log();
}

TEST_F(CudaExecution, MachinesWithoutWhatIsNeededSaySo) {
  set("STEPTP_CUDA_DRIVER", "/no/such/libcuda.so");
  expect_failure("no-device", "there is no CUDA driver");
  set("STEPTP_CUDA_DRIVER", FAKE_CUDA_NVRTC);
  expect_failure("no-device", "too old: it lacks cuInit");
  set("STEPTP_CUDA_DRIVER", FAKE_CUDA_DRIVER);
  set("FAKE_CUDA_DEVICES", "0");
  expect_failure("no-device", "finds no GPU");
  set("FAKE_CUDA_DEVICES", "1");
  set("FAKE_CUDA_FAIL", "cuInit:803");
  expect_failure("no-device", "does not start");
  set("FAKE_CUDA_FAIL", "");
  set("FAKE_CUDA_CAPABILITY", "61");
  expect_failure("no-device", "compute capability 6.1");
  set("FAKE_CUDA_CAPABILITY", "90");
  set("STEPTP_NVRTC", "/no/such/libnvrtc.so");
  expect_failure("no-nvrtc", "/no/such/libnvrtc.so");
  set("STEPTP_NVRTC", FAKE_CUDA_DRIVER);
  expect_failure("no-nvrtc", "too old");
  set("STEPTP_NVRTC", FAKE_CUDA_NVRTC);
  set("FAKE_NVRTC_ARCHS", "100 120");
  expect_failure("no-nvrtc", "no architecture up to sm_90");
}

/// The package nvidia-cuda-nvrtc of the user's Python.
TEST_F(CudaExecution, NvrtcIsFoundAmongThePackagesOfPython) {
  set("STEPTP_NVRTC", "python");
  const std::string site = folder_->file("site");
  fs::create_directories(site + "/nvidia/cuda_nvrtc/lib");
  fs::copy_file(FAKE_CUDA_NVRTC, site + "/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  ASSERT_TRUE(write_file(site + "/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.4", "").ok());
  set("PYTHONPATH", site);
  const auto ran = run_copy();
  ASSERT_TRUE(ran.ok()) << ran.error().diagnostic.message;
  EXPECT_EQ(count("nvrtcCompileProgram"), 1U) << "another NVRTC was found first";
}

/// Before anything is launched, with the numbers.
TEST_F(CudaExecution, BeyondTheLimitsIsRefused) {
  CandidatePool pool(options(), 1);
  const auto refused = [&](const char* text) {
    CandidatePool own(options(), 1);
    const Program program = program_of(text);
    const auto ran = own.run(program, drawn_inputs(program, 1).value());
    EXPECT_FALSE(ran.ok());
    return ran.ok() ? Diagnostic() : ran.error().diagnostic;
  };
  set("FAKE_CUDA_SHARED", "50000");
  Diagnostic said = refused(kShared);
  EXPECT_EQ(said.id, "cannot-lower");
  EXPECT_NE(said.message.find("65536 bytes of shared memory in a block, but Fake GPU 0 has 50000"), std::string::npos)
      << said.message;
  set("FAKE_CUDA_THREADS", "16");
  said = refused(kCopy);
  EXPECT_EQ(said.id, "device-limit");
  EXPECT_NE(said.message.find("32 threads in a block with 40 registers each, but Fake GPU 0 runs at most 16"),
            std::string::npos)
      << said.message;
  set("FAKE_CUDA_THREADS", "1024");
  set("FAKE_CUDA_MEMORY", "200");
  said = refused(kCopy);
  EXPECT_EQ(said.id, "device-limit");
  EXPECT_NE(said.message.find("needs 256 bytes of memory, but Fake GPU 0 has 200"), std::string::npos) << said.message;
  EXPECT_EQ(count("cuLaunchKernel"), 0U);
}

/// The context is lost, and with it the worker; the next one goes on.
TEST_F(CudaExecution, AnIllegalAddressEndsTheWorkerAndNothingElse) {
  set("FAKE_CUDA_FAIL", "cuEventSynchronize:700:1");
  CandidatePool pool(options(), 1);
  const Program program = program_of(kCopy);
  const Tensors inputs = drawn_inputs(program, 1).value();
  EXPECT_TRUE(pool.run(program, inputs).ok());
  const auto failed = pool.run(program, inputs);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().diagnostic.id, "worker-failed");
  EXPECT_NE(failed.error().diagnostic.message.find("CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos)
      << failed.error().diagnostic.message;
  EXPECT_TRUE(pool.run(program, inputs).ok());
  EXPECT_EQ(pool.workers().started(), 2U);
}

TEST_F(CudaExecution, AKernelThatHangsIsEnded) {
  set("FAKE_CUDA_HANG", "cuEventSynchronize");
  CandidateOptions how = options();
  how.seconds = 4;
  CandidatePool pool(how, 1);
  const Program program = program_of(kCopy);
  const auto ran = pool.run(program, drawn_inputs(program, 1).value());
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().diagnostic.id, "worker-timed-out");
}

TEST_F(CudaExecution, TimesAreMeasuredWithAColdCache) {
  CandidatePool pool(options(), 1);
  const Program first = program_of(kSteps);
  TimeRequest request;
  request.programs = {&first};
  request.budget_seconds = 0.3;
  const auto answer = time_programs(pool, request);
  ASSERT_TRUE(answer.ok()) << answer.error().diagnostic.message;
  const Timing& timing = answer->timings[0];
  EXPECT_EQ(timing.status, Timing::Status::ok) << timing.failure.diagnostic.message;
  EXPECT_EQ(answer->machine.name, "Fake GPU 0");
  // 6144 bits at 3.201 GHz, twice a cycle; 132 multiprocessors of 256 operations at 1.98 GHz.
  EXPECT_NEAR(answer->machine.bytes_per_second, 4.917e12, 1e9);
  EXPECT_NEAR(answer->machine.flops_of(DType::f32), 66.9e12, 1e11);
  // 64 MiB are written before each repetition.
  EXPECT_GE(count("cuMemAlloc_v2 67108880"), 1U) << log().substr(0, 2000);
}

/// A host loop, launches in turn and a fill become one graph, whose launches keep the values that their parameters had.
TEST_F(CudaExecution, GraphsAreLaunchedByOneCallAndChecked) {
  const auto measured = [this](const char* text) {
    CandidatePool pool(options(), 1);
    const Program program = program_of(text);
    TimeRequest request;
    request.programs = {&program};
    request.budget_seconds = 0.1;
    request.as_graph = true;
    auto answer = time_programs(pool, request);
    EXPECT_TRUE(answer.ok());
    return answer.ok() ? answer->timings[0] : Timing();
  };
  Timing timing = measured(kSteps);
  EXPECT_EQ(timing.status, Timing::Status::ok) << timing.failure.diagnostic.message;
  EXPECT_EQ(count("cuGraphInstantiateWithFlags 5"), 1U) << log();
  EXPECT_EQ(count("cuLaunchKernel compare_words"), 1U) << "the inputs, once at the end";
  EXPECT_EQ(count("cuLaunchKernel"), 5U + 1U) << "launched while they are recorded, and never again";
  EXPECT_GE(count("cuGraphLaunch"), timing.samples.size());
  timing = measured(kInTurn);
  EXPECT_EQ(timing.status, Timing::Status::ok) << timing.failure.diagnostic.message;
  EXPECT_EQ(count("cuGraphInstantiateWithFlags 16"), 1U) << log();
  EXPECT_EQ(count("cuGraphDestroy"), 2U);
  EXPECT_EQ(count("cuGraphExecDestroy"), 2U);
  // A wrong result has no time in this way either, and a driver that refuses is heard.
  set("FAKE_CUDA_SKIP", "kernel_1");
  EXPECT_EQ(measured(kSteps).status, Timing::Status::wrong);
  set("FAKE_CUDA_SKIP", "none");
  set("FAKE_CUDA_FAIL", "cuGraphInstantiateWithFlags:801");
  timing = measured(kSteps);
  EXPECT_EQ(timing.status, Timing::Status::failed);
  EXPECT_NE(timing.failure.diagnostic.message.find("cuGraphInstantiateWithFlags"), std::string::npos);
}

TEST_F(CudaExecution, GraphsHoldSoManyLaunches) {
  CandidatePool pool(options(), 1);
  const Program program = program_of(
      "@program Many\n@input A f32[70000]\n@output D f32[70000]\n"
      "L^{70000}_{a=0}[B^{1}_{tx=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2.0;];];");
  TimeRequest request;
  request.programs = {&program};
  request.budget_seconds = 0.1;
  request.as_graph = true;
  const auto answer = time_programs(pool, request);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->timings[0].status, Timing::Status::failed);
  EXPECT_EQ(answer->timings[0].failure.diagnostic.id, "device-limit");
}

/// What a launch leaves out shows as poison, and what it must not touch is looked at.
TEST_F(CudaExecution, WrongResultsHaveNoTimes) {
  const auto measured = [this](const char* text) {
    CandidatePool pool(options(), 1);
    const Program program = program_of(text);
    TimeRequest request;
    request.programs = {&program};
    request.budget_seconds = 0.1;
    auto answer = time_programs(pool, request);
    EXPECT_TRUE(answer.ok());
    return answer.ok() ? answer->timings[0] : Timing();
  };
  set("FAKE_CUDA_SKIP", "kernel_1");
  Timing timing = measured(kSteps);
  EXPECT_EQ(timing.status, Timing::Status::wrong);
  EXPECT_TRUE(timing.samples.empty());
  EXPECT_NE(timing.failure.diagnostic.message.find("element 0 of D"), std::string::npos)
      << timing.failure.diagnostic.message;
  set("FAKE_CUDA_SKIP", "kernel_0");
  EXPECT_EQ(measured(kSteps).status, Timing::Status::wrong);
  set("FAKE_CUDA_SKIP", "none");
  // An element that is not sampled: only the comparison of inputs sees the change.
  const Program copy = program_of(kCopy);
  std::set<std::int64_t> sampled;
  for (const ExpectedElement& element : expected_elements(copy, copy, 0).elements) sampled.insert(element.position);
  std::int64_t free = 0;
  while (sampled.contains(free)) ++free;
  set("FAKE_CUDA_SCRIBBLE", std::to_string(4 * free));
  timing = measured(kCopy);
  EXPECT_EQ(timing.status, Timing::Status::wrong);
  EXPECT_TRUE(timing.samples.empty());
  EXPECT_NE(timing.failure.diagnostic.message.find("changed its inputs"), std::string::npos)
      << timing.failure.diagnostic.message;
}

TEST_F(CudaExecution, ZeroIsNoTime) {
  set("FAKE_CUDA_CLOCK", "stopped");
  CandidatePool pool(options(), 1);
  const Program program = program_of(kCopy);
  TimeRequest request;
  request.programs = {&program};
  request.budget_seconds = 0.1;
  const auto answer = time_programs(pool, request);
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer->timings[0].implausible);
  EXPECT_EQ(pool.workers().started(), 2U) << "it is measured again, by another worker";
}

/// Each worker has its GPU.
TEST_F(CudaExecution, OnePlaceForEachGpu) {
  set("FAKE_CUDA_DEVICES", "2");
  EXPECT_EQ(usual_places(DeviceKind::cuda, 7), 2U);
  EXPECT_EQ(usual_places(DeviceKind::cpu, 7), 7U);
  CandidatePool pool(options(), 2);
  auto one = pool.workers().take();
  auto two = pool.workers().take();
  ASSERT_TRUE(one.ok() && two.ok());
  Json head;
  head.set("op", "machine").set("device", "cuda");
  for (auto* lease : {&one, &two}) {
    const WorkerOutcome outcome = (**lease)->call(pack({head, {}}), pool.call_options());
    ASSERT_TRUE(outcome.ok()) << outcome.reason;
    const auto answer = unpack(outcome.answer);
    EXPECT_EQ(*answer->head.find("name")->as_string(), concat("Fake GPU ", (*lease)->place()));
  }
}

}  // namespace
}  // namespace steptp::testing
