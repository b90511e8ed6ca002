#include "steptp/measure/calibration.h"

#include <gtest/gtest.h>

#include "built_files.h"
#include "steptp/base/process.h"
#include "steptp/execution/llvm_engine.h"
#include "steptp/execution/llvm_program.h"

namespace steptp {
namespace {

CandidateOptions options(std::string worker) {
  CandidateOptions out;
  out.worker = {std::move(worker), "worker"};
  out.seconds = 60;
  out.threads = 1;
  return out;
}

TEST(Calibration, MeasuresThisProcessor) {
  if (const auto engine = find_llvm_engine(); !engine) GTEST_SKIP() << engine.error().message;
  CandidatePool pool(options(STEPTP_BINARY), 1);
  const auto rates = calibrate(pool, 0.02);
  ASSERT_TRUE(rates.ok()) << rates.error().diagnostic.message;
  EXPECT_EQ(rates->name, "cpu");
  EXPECT_EQ(rates->processors, 1);
  EXPECT_NE(rates->source.find("measured on"), std::string::npos);
  // Wide bounds: others may be busy on the machine.
  EXPECT_GT(rates->clock, 1e8);
  EXPECT_LT(rates->clock, 1e10);
  EXPECT_GT(rates->memory_bandwidth, 1e8);
  EXPECT_LT(rates->memory_bandwidth, 1e13);
  EXPECT_GE(rates->chain_cycles, 1);
  EXPECT_GT(rates->f32_per_cycle, 0);
  EXPECT_LT(rates->f32_per_cycle, 1000);
  EXPECT_GE(rates->vector_bytes, 16);
  const auto again = rates_of_json(to_json(*rates));
  EXPECT_TRUE(again.ok()) << again.error();
}

TEST(Calibration, SaysWhyThereIsNone) {
  CandidatePool pool(options("/bin/false"), 1);
  const auto rates = calibrate(pool, 0.02);
  ASSERT_FALSE(rates.ok());
  EXPECT_FALSE(rates.error().diagnostic.message.empty());
}

}  // namespace
}  // namespace steptp
