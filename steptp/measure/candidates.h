#pragma once

#include <map>
#include <memory>
#include <string>

#include "steptp/base/worker.h"
#include "steptp/execution/cpu_inputs.h"
#include "steptp/execution/cuda_inputs.h"
#include "steptp/execution/cuda_program.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/execution/object_cache.h"
#include "steptp/measure/expected.h"
#include "steptp/measure/message.h"
#include "steptp/text/document.h"

namespace steptp {

/// The worker's side of measuring: compiles programs, runs them, keeps them ready for measurements. Requests and
/// answers are messages (message.h); a request has an "op":
///   machine  what the device is and does at most
///   run      one run with given or seeded inputs; the answer has the outputs
///   compile  into the cache, for a `prepare` elsewhere; nothing is asked of the device
///   prepare  a program ready for `measure` under an "id", at drawn inputs
///   measure  some runs of it, each checked
///   expect   other elements to compare with, and whether the outputs of the last run are these
///   finish   whether its outputs and inputs are whole; then it is forgotten
/// What cannot be done is an answer with "error", the id of a diagnostic, and "message"; a trap has "trap", its kind.
/// After an error that leaves a GPU in no state to go on, the handler throws: the worker is replaced.
class CandidateWorker {
 public:
  /// `gpu`: which one, where the device is cuda.
  explicit CandidateWorker(int gpu) : gpu_(gpu) {}

  [[nodiscard]] std::string answer(const std::string& request);

 private:
  struct Prepared {
    Document document;
    std::optional<LlvmProgram> cpu;
    std::unique_ptr<CudaProgram> gpu;
    std::unique_ptr<Session> session;  ///< after the programs, which it uses
    std::vector<ExpectedElement> expected;
    bool has_run = false;
  };

  Message dispatch(const Message& request);
  Message machine(const Json& head);
  Message run(const Message& request);
  Message compile_ahead(const Json& head);
  Message prepare(const Message& request);
  Message measure(const Json& head);
  Message expect(const Json& head);
  Message finish(const Json& head);
  /// Nothing where the outputs of the last run are what was expected: all elements, or those of each run.
  [[nodiscard]] std::optional<Message> find_wrong(Prepared& prepared, bool all) const;
  /// Reads, compiles and says what that took; an answer with an error where that fails.
  std::optional<Message> compile(const Json& head, Prepared& out, Json& times);
  void use_cache(const Json& head);
  std::optional<Message> start(const Json& head, const Tensors& inputs, bool may_keep, Prepared& out);
  Message failed(const ExecutionFailure& failure) const;
  std::optional<Message> open_device();
  const Tensors* drawn(const Json& head, std::string& problem);

  int gpu_;
  std::unique_ptr<CudaDevice> described_;  ///< without a context, for what is only compiled
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<ObjectCache> cache_;
  std::string cache_folder_;
  CpuInputs kept_on_cpu_;
  std::unique_ptr<CudaInputs> kept_;                            ///< after the device
  std::map<std::int64_t, std::unique_ptr<Prepared>> prepared_;  ///< after the device, which they use
  std::string drawn_for_;
  Tensors drawn_;
};

/// The whole life of a worker process: `steptp worker` is this and nothing else.
[[nodiscard]] int run_candidate_worker(int descriptor, const WorkerLimits& limits, int gpu);

}  // namespace steptp
