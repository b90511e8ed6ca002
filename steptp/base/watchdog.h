#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "steptp/base/duration.h"

namespace steptp {

/// Raises a flag when so many seconds are over, unless it is gone by then.
class Watchdog {
 public:
  Watchdog(double seconds, std::atomic<bool>& flag)
      : thread_([this, limit = span_of_seconds(seconds), &flag] {
          std::unique_lock lock(mutex_);
          if (!wake_.wait_for(lock, limit, [this] { return is_over_; })) flag = true;
        }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  bool is_over_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;  ///< the last, because it uses the others
};

}  // namespace steptp
