#include "steptp/measure/kept_peak.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "steptp/base/text.h"
#include "steptp/execution/object_cache.h"
#include "steptp/measure/cpu_peak.h"

namespace steptp {
namespace {

class KeptPeak : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// What is kept for one thread of this CPU.
  void keep(const std::string& entry) const {
    ObjectCache(folder_).put(cache_key({"peak of a CPU", concat(processor_name(), ", 1 threads")}), entry);
  }

  std::string folder_ =
      concat(::testing::TempDir(), "kept_peak_", ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(KeptPeak, IsMeasuredAtMostThreeTimes) {
  double bytes = 0;
  for (int i = 0; i < 3; ++i) {
    const MachinePeak peak = kept_cpu_peak(1, folder_);
    EXPECT_GE(peak.bytes_per_second, bytes) << "the best counts";
    EXPECT_GT(peak.flops_of(DType::f32), 1e6);
    bytes = peak.bytes_per_second;
  }
  const MachinePeak kept = kept_cpu_peak(1, folder_);
  EXPECT_EQ(kept.source, "measured once and kept");
  EXPECT_EQ(kept.bytes_per_second, bytes);
}

TEST_F(KeptPeak, WhatIsKeptIsNotLostToABusyMachine) {
  keep(R"({"f32":1e15,"f64":1e15,"bytes_per_second":1e15,"measurements":1})");
  EXPECT_EQ(kept_cpu_peak(1, folder_).bytes_per_second, 1e15);
  EXPECT_EQ(kept_cpu_peak(1, folder_).flops_of(DType::f64), 1e15);
}

TEST_F(KeptPeak, ADamagedEntryIsMeasuredAnew) {
  for (const char* entry : {"[]", R"({"f32":-1,"f64":1,"bytes_per_second":1,"measurements":3})"}) {
    keep(entry);
    EXPECT_EQ(kept_cpu_peak(1, folder_).source, "measured") << entry;
  }
}

TEST_F(KeptPeak, WithoutAFolderNothingIsKept) { EXPECT_EQ(kept_cpu_peak(1, "").source, "measured"); }

}  // namespace
}  // namespace steptp
