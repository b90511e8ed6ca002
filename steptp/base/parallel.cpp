#include "steptp/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace steptp {

void parallel_for(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work) {
  const std::size_t threads = std::min<std::size_t>(std::max(1U, jobs), count);
  if (threads <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t failed = count;
  std::exception_ptr error;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < failed) {
          failed = i;
          error = std::current_exception();
        }
      }
    }
  };
  std::vector<std::jthread> workers;
  workers.reserve(threads - 1);
  for (std::size_t i = 1; i < threads; ++i) workers.emplace_back(run);
  run();
  workers.clear();
  if (error) std::rethrow_exception(error);
}

unsigned default_jobs() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace steptp
