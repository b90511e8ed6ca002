// A search on GPUs that are emulated: compiled, launched as graphs, checked against the root's certified values.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "built_files.h"
#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/search/session.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

TEST(CudaSession, CandidatesAreCompiledLaunchedAndChecked) {
  ASSERT_TRUE(std::ifstream(STEPTP_BINARY).good()) << "the build makes the binary before this test";
  const auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const std::string log = folder->file("log");
  setenv("STEPTP_CUDA_DRIVER", FAKE_CUDA_DRIVER, 1);
  setenv("STEPTP_NVRTC", FAKE_CUDA_NVRTC, 1);
  setenv("FAKE_CUDA_LOG", log.c_str(), 1);
  setenv("CUDA_HOME", folder->file("toolkit").c_str(), 1);
  const Program program = shorthand_program(R"(
@input A f32[16,24]
@output D f32[16]
@output E f32[16,24]
B(tx,16)L(a,24)[D[tx]=D[tx]+A[tx,a];];B(tx,16)L(a,24)[E[tx,a]=A[tx,a]*D[tx];];
)",
                                            {{"T", "f32"}});
  const Document root = read_document("program.leir", print_document(program, Profile::paper));
  ASSERT_TRUE(root.ok);
  search::SearchSettings settings;
  ASSERT_TRUE(search::take_device("cuda", "nvidia-h200", settings).ok());
  settings.algorithm = search::Algorithm::greedy;
  settings.budget.samples = 3;
  search::SearchMachinery machinery;
  machinery.jobs = 2;
  machinery.candidates.worker = {STEPTP_BINARY, "worker"};
  machinery.candidates.seconds = 60;
  const auto result = search::search_program(root, settings, machinery, "", search::Journal::Mode::write);
  for (const char* name : {"STEPTP_CUDA_DRIVER", "STEPTP_NVRTC", "FAKE_CUDA_LOG", "CUDA_HOME"}) unsetenv(name);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->stop, search::Stop::samples) << result->stop_reason;
  EXPECT_EQ(result->samples, 3);
  const auto fresh = std::count_if(result->tree.nodes().begin(), result->tree.nodes().end(),
                                   [](const search::Node& node) { return node.is_fresh() && node.runs > 1; });
  EXPECT_GE(fresh, 2);
  EXPECT_EQ(result->verdict, "proved");
  const auto launches = read_file(log);
  ASSERT_TRUE(launches.ok());
  EXPECT_NE(launches->find("cuGraphLaunch"), std::string::npos) << launches->substr(0, 500);
}

}  // namespace
}  // namespace steptp::testing
