#include "cli/record_workers.h"

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "cli/verb.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"

namespace steptp::cli {

namespace {

/// A verb that has a limit ends by itself soon after it; this is for one that does not.
constexpr double kGrace = 30;
constexpr double kNoLimit = 1e7;

}  // namespace

RecordWorkers::RecordWorkers(unsigned jobs, double seconds)
    : pool_(std::vector<WorkerPool::Command>(jobs == 0 ? default_jobs() : jobs, invocation().command_of_worker())),
      seconds_(seconds > 0 ? seconds + kGrace : kNoLimit) {}

Answer RecordWorkers::ask(const std::string& name, const std::string& record, const Verb& here,
                          const std::function<Answer(const std::string& why)>& failed) {
  WorkerCall call;
  call.seconds = seconds_;
  const WorkerOutcome outcome = pool_.call(concat(name.size(), " ", name, record), call);
  if (outcome.kind == WorkerOutcome::Kind::not_started) return here(name, record);
  if (!outcome.ok() || outcome.answer.empty()) return failed(outcome.reason);
  return {static_cast<Status>(outcome.answer[0] - '0'), outcome.answer.substr(1), ""};
}

Status RecordWorkers::serve(const WorkerLimits& limits, const Verb& verb) {
  return static_cast<Status>(serve_requests(Worker::kDescriptor, limits, [&](const std::string& request) {
    const std::size_t blank = request.find(' ');
    const std::size_t length = std::strtoull(request.c_str(), nullptr, 10);
    if (blank == std::string::npos || length > request.size() - blank - 1) throw std::runtime_error("not a record");
    const Answer answer = verb(request.substr(blank + 1, length), request.substr(blank + 1 + length));
    return concat(static_cast<int>(answer.status), answer.out);
  }));
}

}  // namespace steptp::cli
