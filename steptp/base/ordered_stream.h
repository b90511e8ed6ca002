#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace steptp {

/// The number of threads that `--jobs 0` means: all there are.
[[nodiscard]] inline unsigned default_jobs() { return std::max(1U, std::thread::hardware_concurrency()); }

/// Items go in one by one, answers come out in the same order, each as soon as it and all before it are there: a slow
/// item does not hold back what was finished earlier, and whoever writes an item and waits for its answer gets it.
/// `work` runs on up to `jobs` threads, `emit` on one at a time. Items in memory weigh at most `ahead` together, or it
/// is a single one.
template <typename Item, typename Answer>
class OrderedStream {
 public:
  using Work = std::function<Answer(const Item&)>;
  using Emit = std::function<bool(Answer&&)>;

  OrderedStream(unsigned jobs, std::size_t ahead, Work work, Emit emit)
      : jobs_(std::max(1U, jobs)), ahead_(ahead), work_(std::move(work)), emit_(std::move(emit)) {}
  OrderedStream(const OrderedStream&) = delete;
  OrderedStream& operator=(const OrderedStream&) = delete;
  ~OrderedStream() { close(); }

  /// False: `emit` wants no more, or `work` has thrown.
  bool push(Item item, std::size_t weight = 1) {
    if (jobs_ == 1) {
      // An exception of `work` goes straight to the caller.
      if (!stopped_) stopped_ = !emit_(work_(item));
      return !stopped_;
    }
    std::unique_lock lock(mutex_);
    // A thread only for an item that finds no idle one: a single record starts a single thread.
    if (idle_ == 0 && workers_.size() < jobs_) workers_.emplace_back([this] { run(); });
    room_.wait(lock, [&] { return stopped_ || slots_.empty() || weight_ + weight <= ahead_; });
    if (stopped_) return false;
    slots_.push_back({std::move(item), weight, std::nullopt, nullptr});
    weight_ += weight;
    arrived_.notify_one();
    return true;
  }

  /// Waits for all answers. False where `emit` wanted no more. Rethrows the exception of the first item that threw.
  bool finish() {
    close();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return !stopped_;
  }

 private:
  struct Slot {
    Item item;
    std::size_t weight;
    std::optional<Answer> answer;
    std::exception_ptr error;
  };

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      arrived_.notify_all();
    }
    workers_.clear();
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      arrived_.wait(lock, [this] { return stopped_ || closed_ || next_ < slots_.size(); });
      --idle_;
      if (stopped_ || next_ == slots_.size()) return;
      Slot& slot = slots_[next_++];  // a deque's elements stay where they are while others come and go at its ends
      lock.unlock();
      std::optional<Answer> answer;
      std::exception_ptr error;
      try {
        answer = work_(slot.item);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      slot.answer = std::move(answer);
      slot.error = error;
      emit_ready(lock);
    }
  }

  /// Emits what is ready at the front; the lock is not held meanwhile.
  void emit_ready(std::unique_lock<std::mutex>& lock) {
    if (emitting_) return;  // the thread that is at it looks again
    emitting_ = true;
    while (!stopped_ && !slots_.empty() && (slots_.front().answer || slots_.front().error)) {
      Slot slot = std::move(slots_.front());
      slots_.pop_front();
      --next_;
      weight_ -= slot.weight;
      if (slot.error) {
        error_ = slot.error;
        stopped_ = true;
        break;
      }
      room_.notify_one();
      lock.unlock();
      const bool goes_on = emit_(std::move(*slot.answer));
      lock.lock();
      stopped_ = stopped_ || !goes_on;
    }
    emitting_ = false;
    if (stopped_) {
      room_.notify_all();
      arrived_.notify_all();
    }
  }

  unsigned jobs_;
  std::size_t ahead_;
  Work work_;
  Emit emit_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable room_;
  std::deque<Slot> slots_;
  std::size_t weight_ = 0;  ///< of all slots
  std::size_t next_ = 0;    ///< the first slot that nobody has taken
  std::size_t idle_ = 0;
  bool closed_ = false;
  bool stopped_ = false;
  bool emitting_ = false;
  std::exception_ptr error_;
  std::vector<std::jthread> workers_;
};

}  // namespace steptp
