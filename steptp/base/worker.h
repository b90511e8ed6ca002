#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/frame.h"
#include "steptp/base/result.h"

namespace steptp {

/// What became of a request to a worker. Everything but `answered` ends the worker, and nothing else with it.
struct WorkerOutcome {
  enum class Kind : std::uint8_t {
    answered,
    failed,       ///< it said itself that it cannot: out of memory, an exception
    crashed,      ///< ended by a signal
    exited,       ///< ended by itself, without an answer
    timed_out,    ///< was ended, because the time was over
    garbled,      ///< sent something that is no answer
    cancelled,    ///< the caller wanted no more
    not_started,  ///< there is no such program, or no process to be had
  };
  Kind kind = Kind::not_started;
  std::string answer;
  std::string reason;  ///< for people, where there is no answer: with what it wrote last on standard error

  [[nodiscard]] bool ok() const { return kind == Kind::answered; }
};
/// "crashed", ...: a word for JSON answers.
[[nodiscard]] std::string_view name_of(WorkerOutcome::Kind kind);

/// How far a call may go. `go_on` is asked now and then; where it says no, the call is cancelled.
struct WorkerCall {
  double seconds = 60;
  std::function<bool()> go_on;
};

/// Another process that answers requests, one at a time, through a socket that it gets as file descriptor 3
/// (`serve_requests`). It is started by exec, never as a copy of this process with its threads and locks.
class Worker {
 public:
  static constexpr int kDescriptor = 3;

  /// `command`: the program and its arguments. Error: id `worker`.
  [[nodiscard]] static Result<std::unique_ptr<Worker>, Diagnostic> start(const std::vector<std::string>& command);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// Ends it, with all that it started.
  ~Worker();

  [[nodiscard]] WorkerOutcome call(std::string_view request, const WorkerCall& options);

  /// Whether it may be asked again: every request so far was answered, and it runs.
  [[nodiscard]] bool is_healthy();
  [[nodiscard]] std::uint64_t answered() const { return answered_; }
  [[nodiscard]] pid_t process() const { return process_; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Wait : std::uint8_t { ready, closed, timed_out, cancelled };

  Worker(pid_t process, int socket, int errors) : process_(process), socket_(socket), errors_(errors) {}
  Wait wait(short events, Clock::time_point end, const std::function<bool()>& go_on);
  Wait send(std::string_view bytes, Clock::time_point end, const std::function<bool()>& go_on);
  Wait receive(char* to, std::size_t bytes, Clock::time_point end, const std::function<bool()>& go_on);
  WorkerOutcome exchange(std::string_view request, Clock::time_point end, const std::function<bool()>& go_on);
  void keep_errors();
  WorkerOutcome ended(Wait how, double seconds);
  /// Ends the process where it still runs, and takes its status.
  int reap(bool kill_it);

  pid_t process_;
  int socket_;
  int errors_;
  int status_ = 0;
  bool is_reaped_ = false;
  bool is_broken_ = false;
  bool errors_closed_ = false;
  std::uint64_t answered_ = 0;
  std::string last_words_;
};

/// Workers that are kept while they are healthy, each in a place of its own with its command: several places with one
/// command, or one place per device. Safe to call from many threads.
class WorkerPool {
 public:
  /// After so many answers a worker is replaced, whatever its health: memory that compilers keep adds up.
  static constexpr std::uint64_t kMostAnswers = 500;

  using Command = std::vector<std::string>;
  /// One place for each command.
  explicit WorkerPool(std::vector<Command> commands, std::uint64_t most_answers = kMostAnswers);

  /// A worker for several requests, and its place; given back when it goes.
  class Lease {
   public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    [[nodiscard]] Worker& operator*() const { return *worker_; }
    [[nodiscard]] Worker* operator->() const { return worker_.get(); }
    [[nodiscard]] std::size_t place() const { return place_; }
    /// Ends the worker, however well it is: the next one in this place is new.
    void end() { worker_.reset(); }

   private:
    friend class WorkerPool;
    Lease(WorkerPool* pool, std::size_t place, std::unique_ptr<Worker> worker)
        : pool_(pool), place_(place), worker_(std::move(worker)) {}
    WorkerPool* pool_;
    std::size_t place_;
    std::unique_ptr<Worker> worker_;
  };
  /// Waits for a place. One with an idle worker comes first; where that is found dead, a new one is started.
  [[nodiscard]] Result<Lease, Diagnostic> take();

  /// One request to any of them.
  [[nodiscard]] WorkerOutcome call(std::string_view request, const WorkerCall& options);

  [[nodiscard]] std::size_t places() const { return places_.size(); }
  [[nodiscard]] std::uint64_t started() const;

 private:
  struct Place {
    Command command;
    bool is_taken = false;
    std::unique_ptr<Worker> idle;
  };
  [[nodiscard]] std::optional<std::size_t> free_place() const;
  void give_back(std::size_t place, std::unique_ptr<Worker> worker);

  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::vector<Place> places_;
  std::uint64_t most_answers_;
  std::uint64_t started_ = 0;
};

/// Thrown by a handler that can go on no longer, for a reason that is no fault of ours: the reason is the answer.
struct WorkerIsOver : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a worker may use.
struct WorkerLimits {
  std::uint64_t memory_bytes = 0;  ///< of data; 0: no limit
  bool runs_deep = false;          ///< its requests are answered on a big stack (deep_stack.h)
};

/// The worker's side: answers requests until the other end is gone, then comes back with an exit status. Ends at once
/// when the other end is gone in the middle of a request. An exception of the handler is the last answer: after it the
/// worker is replaced. No core dumps; the first to go when the machine is out of memory.
[[nodiscard]] int serve_requests(int descriptor, const WorkerLimits& limits,
                                 const std::function<std::string(const std::string&)>& handler);

}  // namespace steptp
