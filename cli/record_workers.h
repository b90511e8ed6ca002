#pragma once

#include <functional>
#include <string>

#include "cli/records.h"
#include "steptp/base/worker.h"

namespace steptp::cli {

/// Records answered by other processes, each the same call of this program: one that ends its process costs only
/// itself.
class RecordWorkers {
 public:
  using Verb = std::function<Answer(const std::string& name, const std::string& record)>;

  /// `seconds`: what a record may take by the verb's own limit; 0: no limit.
  RecordWorkers(unsigned jobs, double seconds);

  /// The answer of a worker. Where none can be started `here` answers; where one is gone, `failed` does, with the
  /// reason.
  [[nodiscard]] Answer ask(const std::string& name, const std::string& record, const Verb& here,
                           const std::function<Answer(const std::string& why)>& failed);

  /// The side of the worker: it was started with the same words, so it has the same options. What a verb writes to
  /// standard error is lost.
  [[nodiscard]] static Status serve(const WorkerLimits& limits, const Verb& verb);

 private:
  WorkerPool pool_;
  double seconds_;
};

}  // namespace steptp::cli
