#include "steptp/execution/thread_team.h"

namespace steptp {

ThreadTeam::ThreadTeam(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) members_.emplace_back([this, i] { serve(i); });
}

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  begun_.notify_all();
  for (std::thread& member : members_) member.join();
}

void ThreadTeam::run(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  if (count > 1) {
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      count_ = count;
      running_ = static_cast<std::int64_t>(members_.size());
      ++round_;
    }
    begun_.notify_all();
  }
  work(0);
  if (count <= 1) return;
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
}

void ThreadTeam::serve(std::int64_t number) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [&] { return is_over_ || round_ != seen; });
    if (is_over_) return;
    seen = round_;
    if (number < count_) {
      const auto& work = *work_;
      lock.unlock();
      work(number);
      lock.lock();
    }
    if (--running_ == 0) done_.notify_one();
  }
}

}  // namespace steptp
