#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/worker.h"
#include "steptp/execution/session.h"
#include "steptp/lowering/target.h"
#include "steptp/measure/message.h"

namespace steptp {

/// How candidates are run.
struct CandidateOptions {
  /// The program that is a worker, without the limits, which are added. The binary names itself, the Python package its
  /// interpreter.
  std::vector<std::string> worker = {"/proc/self/exe", "worker"};
  DeviceKind device = DeviceKind::cpu;
  unsigned threads = 0;            ///< of a CPU; 0: all cores
  double seconds = 600;            ///< for one request
  std::uint64_t memory_bytes = 0;  ///< of a worker; 0: three quarters of the machine's
  std::string cache;               ///< folder; empty: nothing is kept
  bool compiles_only = false;      ///< nothing runs: workers that use no GPU, and as many as are wanted
  std::function<bool()> go_on;     ///< asked now and then
};

/// How many workers run at a time on a device: `jobs` on a CPU, one for each GPU.
[[nodiscard]] unsigned usual_places(DeviceKind device, unsigned jobs);

/// Workers for candidates on one device: several places on a CPU, one for each GPU.
class CandidatePool {
 public:
  CandidatePool(CandidateOptions options, unsigned places);

  /// One run. Failures: traps and diagnostics of the program, and `worker` with the reason where the worker crashed,
  /// hung, ran out of memory or is not there.
  struct Ran {
    Tensors outputs;
    double seconds = 0;
  };
  [[nodiscard]] Result<Ran, ExecutionFailure> run(const Program& program, const Tensors& inputs);

  /// Into the cache, by any worker; whoever prepares the program says what is wrong with it.
  void compile(const Program& program, Arithmetic arithmetic);

  [[nodiscard]] WorkerPool& workers() { return workers_; }
  [[nodiscard]] const CandidateOptions& options() const { return options_; }
  [[nodiscard]] WorkerCall call_options() const;

  /// What the device does at most, once it was asked; asking takes a moment.
  [[nodiscard]] std::optional<Json> machine() const;
  void remember_machine(const Json& machine);

  /// Why compiled code was not kept, the first time that happened: worth a note, and no failure.
  void note_cache_problem(const Json& times);
  [[nodiscard]] std::string cache_problem() const;

 private:
  CandidateOptions options_;
  WorkerPool workers_;
  mutable std::mutex mutex_;
  std::optional<Json> machine_;
  std::string cache_problem_;
};

/// The failure that an answer tells of; nothing where it tells of none.
[[nodiscard]] std::optional<ExecutionFailure> failure_in(const Json& head);
/// The failure of a request that was not answered.
[[nodiscard]] ExecutionFailure failure_of(const WorkerOutcome& outcome);

}  // namespace steptp
