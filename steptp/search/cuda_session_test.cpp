// A search on GPUs that are emulated: compiled, launched as graphs, checked against the root's certified values.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "built_files.h"
#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/measure/time_programs.h"
#include "steptp/search/session.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

const char* const kVariables[] = {"STEPTP_CUDA_DRIVER", "STEPTP_NVRTC", "FAKE_CUDA_LOG", "CUDA_HOME"};

/// The driver and the compiler that are emulated, as long as it lives.
class FakeCuda {
 public:
  explicit FakeCuda(const TemporaryFolder& folder) : log_(folder.file("log")) {
    setenv("STEPTP_CUDA_DRIVER", FAKE_CUDA_DRIVER, 1);
    setenv("STEPTP_NVRTC", FAKE_CUDA_NVRTC, 1);
    setenv("FAKE_CUDA_LOG", log_.c_str(), 1);
    setenv("CUDA_HOME", folder.file("toolkit").c_str(), 1);
  }
  FakeCuda(const FakeCuda&) = delete;
  FakeCuda& operator=(const FakeCuda&) = delete;
  ~FakeCuda() {
    for (const char* name : kVariables) unsetenv(name);
  }
  /// What was asked of the driver.
  [[nodiscard]] std::string log() const {
    const auto content = read_file(log_);
    return content ? *content : std::string();
  }

 private:
  std::string log_;
};

Program scaled_rows() {
  return shorthand_program(R"(
@input A f32[16,24]
@output D f32[16]
@output E f32[16,24]
B(tx,16)L(a,24)[D[tx]=D[tx]+A[tx,a];];B(tx,16)L(a,24)[E[tx,a]=A[tx,a]*D[tx];];
)",
                           {{"T", "f32"}});
}

CandidateOptions fake_candidates() {
  CandidateOptions out;
  out.worker = {STEPTP_BINARY, "worker"};
  out.device = DeviceKind::cuda;
  out.seconds = 60;
  return out;
}

TEST(CudaSession, CompilingAheadAsksForNoContextAndIsFoundLater) {
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const FakeCuda fake(*folder);
  const Program program = scaled_rows();
  CandidateOptions options = fake_candidates();
  options.cache = folder->file("cache");
  {
    CandidateOptions compiling = options;
    compiling.compiles_only = true;
    CandidatePool compilers(compiling, 2);
    compilers.compile(program, Arithmetic::fast);
    compilers.compile(program, Arithmetic::exact);
  }
  EXPECT_EQ(fake.log().find("cuDevicePrimaryCtxRetain"), std::string::npos) << fake.log();
  CandidatePool pool(options, 1);
  for (const Arithmetic arithmetic : {Arithmetic::fast, Arithmetic::exact}) {
    TimeRequest request;
    request.programs = {&program};
    request.budget_seconds = 0.01;
    request.arithmetic = arithmetic;
    const auto timed = time_programs(pool, request);
    ASSERT_TRUE(timed.ok());
    EXPECT_TRUE(timed->timings.front().from_cache);
    EXPECT_FALSE(timed->timings.front().samples.empty());
  }
  EXPECT_NE(fake.log().find("cuDevicePrimaryCtxRetain"), std::string::npos) << fake.log();
}

TEST(CudaSession, CandidatesAreCompiledLaunchedAndChecked) {
  ASSERT_TRUE(std::ifstream(STEPTP_BINARY).good()) << "the build makes the binary before this test";
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const FakeCuda fake(*folder);
  const Program program = scaled_rows();
  const Document root = read_document("program.leir", print_document(program, Profile::paper));
  ASSERT_TRUE(root.ok);
  search::SearchSettings settings;
  ASSERT_TRUE(search::take_device("cuda", "nvidia-h200", settings).ok());
  settings.algorithm = search::Algorithm::greedy;
  settings.budget.samples = 3;
  search::SearchMachinery machinery;
  machinery.jobs = 2;
  machinery.candidates = fake_candidates();
  const auto result = search::search_program(root, settings, machinery, "", search::Journal::Mode::write);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->stop, search::Stop::samples) << result->stop_reason;
  EXPECT_EQ(result->samples, 3);
  double least = result->root_seconds();
  std::size_t fresh = 0;
  for (const search::Node& node : result->tree.nodes()) {
    if (!node.is_fresh()) continue;
    ++fresh;
    // Only what is much slower than the fastest before it runs once.
    EXPECT_TRUE(node.runs > 1 || node.seconds > 3 * least) << node.seconds << " after " << least;
    least = std::min(least, node.seconds);
  }
  EXPECT_GE(fresh, 2U);
  EXPECT_EQ(result->verdict, "proved");
  EXPECT_NE(fake.log().find("cuGraphLaunch"), std::string::npos) << fake.log().substr(0, 500);
}

}  // namespace
}  // namespace steptp::testing
