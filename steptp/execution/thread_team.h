#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace steptp {

/// Threads that wait for work: starting one costs more than many kernels take.
class ThreadTeam {
 public:
  /// With the caller, `threads` in all.
  explicit ThreadTeam(unsigned threads);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(members_.size()) + 1; }
  /// Calls `work` with 0 to count - 1, each on a thread of its own, and waits for all. `count` is at most `threads()`.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& work);

 private:
  void serve(std::int64_t number);

  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable done_;
  const std::function<void(std::int64_t)>* work_ = nullptr;
  std::int64_t count_ = 0;
  std::int64_t running_ = 0;
  std::uint64_t round_ = 0;
  bool is_over_ = false;
  std::vector<std::thread> members_;
};

}  // namespace steptp
