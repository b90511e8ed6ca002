#include "steptp/measure/gpu_turn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace steptp::testing {
namespace {

/// No GPU has this number, so that nobody else waits for it.
constexpr int kNoGpu = 987654;

/// How many of four threads were inside at once, at most.
int most_at_once(bool wanted) {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        const GpuTurn turn(kNoGpu, wanted);
        const int now = ++inside;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --inside;
      }
    });
  }
  threads.clear();
  return most;
}

TEST(GpuTurn, OneAtATimeWhereItIsWanted) {
  EXPECT_EQ(most_at_once(true), 1);
  EXPECT_GT(most_at_once(false), 1);
}

}  // namespace
}  // namespace steptp::testing
