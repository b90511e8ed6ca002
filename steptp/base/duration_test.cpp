#include "steptp/base/duration.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "steptp/base/watchdog.h"

namespace steptp {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Duration, ManySecondsAreALongTime) {
  for (const double seconds : {1e9, 1e10, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_GT(Clock::now() + span_of_seconds(seconds), Clock::now() + std::chrono::hours(24 * 365));
    EXPECT_EQ(countable_seconds(seconds), kLongestSeconds);
  }
  EXPECT_EQ(span_of_seconds(0.25), std::chrono::milliseconds(250));
  EXPECT_EQ(span_of_seconds(-1), Clock::duration::zero());
}

TEST(Duration, AWatchdogWithManySecondsWaits) {
  std::atomic<bool> flag = false;
  {
    const Watchdog watchdog(1e10, flag);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(flag);
  const Watchdog watchdog(0.001, flag);
  for (int i = 0; i < 2000 && !flag; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(flag);
}

}  // namespace
}  // namespace steptp
