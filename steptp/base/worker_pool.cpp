#include <utility>

#include "steptp/base/worker.h"

namespace steptp {

WorkerPool::WorkerPool(std::vector<Command> commands, std::uint64_t most_answers) : most_answers_(most_answers) {
  for (Command& command : commands) places_.push_back({std::move(command), false, nullptr});
}

WorkerPool::Lease::Lease(Lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), place_(other.place_), worker_(std::move(other.worker_)) {}

WorkerPool::Lease::~Lease() {
  if (pool_) pool_->give_back(place_, std::move(worker_));
}

std::optional<std::size_t> WorkerPool::free_place() const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].is_taken) continue;
    if (places_[i].idle) return i;
    if (!found) found = i;
  }
  return found;
}

Result<WorkerPool::Lease, Diagnostic> WorkerPool::take() {
  std::unique_lock lock(mutex_);
  std::optional<std::size_t> found;
  room_.wait(lock, [&] { return (found = free_place()).has_value(); });
  Place& place = places_[*found];
  place.is_taken = true;
  std::unique_ptr<Worker> idle = std::move(place.idle);
  if (idle && idle->is_healthy()) return Lease(this, *found, std::move(idle));
  ++started_;
  lock.unlock();
  idle.reset();  // not under the lock: it waits for the end of a process
  auto made = Worker::start(place.command);
  if (!made) {
    give_back(*found, nullptr);
    return made.error();
  }
  return Lease(this, *found, std::move(made).value());
}

void WorkerPool::give_back(std::size_t place, std::unique_ptr<Worker> worker) {
  if (worker && (worker->answered() >= most_answers_ || !worker->is_healthy())) worker.reset();
  const std::lock_guard lock(mutex_);
  places_[place].idle = std::move(worker);
  places_[place].is_taken = false;
  room_.notify_one();
}

WorkerOutcome WorkerPool::call(std::string_view request, const WorkerCall& options) {
  auto lease = take();
  if (lease) return (*lease)->call(request, options);
  WorkerOutcome out;
  out.reason = lease.error().message;
  return out;
}

std::uint64_t WorkerPool::started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

}  // namespace steptp
