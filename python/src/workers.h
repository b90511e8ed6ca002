#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "steptp/measure/candidate_pool.h"

namespace steptp::python {

/// Lets Python handle signals (Ctrl-C) now and then while the interpreter's lock is released.
class SignalWatch {
 public:
  /// False once a handler has raised; the exception is then pending.
  bool go_on();
  [[nodiscard]] bool raised() const { return raised_; }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  bool raised_ = false;
};

/// The processes that this package starts, each with a main function of the module: compiling and running programs,
/// judging pairs, making entries of datasets.
enum class WorkerKind : std::uint8_t { candidates, judge, dataset };

/// How such a process is started, as python/steptp/_workers.py says. Takes the interpreter's lock.
[[nodiscard]] std::vector<std::string> worker_command(WorkerKind kind);

/// The workers of a device, kept as long as the interpreter runs.
[[nodiscard]] CandidatePool& pool_for(DeviceKind device);

/// Calls on this thread ask `watch` whether to go on, as long as this lives.
class Watched {
 public:
  explicit Watched(SignalWatch& watch);
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched();
};

}  // namespace steptp::python

template <>
inline constexpr auto steptp::kWords<steptp::python::WorkerKind> =
    std::to_array<std::string_view>({"candidates", "judge", "dataset"});
