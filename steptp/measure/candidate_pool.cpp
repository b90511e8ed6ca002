#include "steptp/measure/candidate_pool.h"

#include <unistd.h>

#include <utility>

#include "steptp/base/text.h"
#include "steptp/execution/cuda_device.h"
#include "steptp/text/document.h"

namespace steptp {

namespace {

std::uint64_t usual_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::uint64_t>(pages) / 4 * 3 * static_cast<std::uint64_t>(page) : 0;
}

std::vector<WorkerPool::Command> commands_for(const CandidateOptions& options, unsigned places) {
  std::vector<WorkerPool::Command> out;
  const bool cuda = options.device == DeviceKind::cuda;
  // What a driver of a GPU reserves counts as data too, and has no bound that could be told beforehand.
  const std::uint64_t memory = options.memory_bytes ? options.memory_bytes : cuda ? 0 : usual_memory();
  for (unsigned i = 0; i < places; ++i) {
    WorkerPool::Command command = options.worker;
    command.push_back(std::to_string(memory));
    command.push_back(std::to_string(cuda && !options.compiles_only ? i : 0));
    out.push_back(std::move(command));
  }
  return out;
}

}  // namespace

unsigned usual_places(DeviceKind device, unsigned jobs) {
  if (device == DeviceKind::cpu) return jobs;
  // Where there is none, a worker says why.
  const auto count = CudaDevice::count();
  return count ? static_cast<unsigned>(*count) : 1;
}

CandidatePool::CandidatePool(CandidateOptions options, unsigned places)
    : options_(std::move(options)), workers_(commands_for(options_, places == 0 ? 1 : places)) {}

WorkerCall CandidatePool::call_options() const {
  WorkerCall out;
  out.seconds = options_.seconds;
  out.go_on = options_.go_on;
  return out;
}

std::optional<ExecutionFailure> failure_in(const Json& head) {
  const Json* id = head.find("error");
  if (!id || !id->as_string()) return std::nullopt;
  const Json* message = head.find("message");
  ExecutionFailure out;
  out.diagnostic = make_error(*id->as_string(), message && message->as_string() ? *message->as_string() : "");
  if (const Json* hint = head.find("hint"); hint && hint->as_string()) out.diagnostic.hint = *hint->as_string();
  if (const Json* site = head.find("site"); site && site->as_string()) out.diagnostic.site = *site->as_string();
  if (const Json* trap = head.find("trap"); trap && trap->as_integer()) {
    out.trap.emplace();
    out.trap->kind = static_cast<TrapKind>(*trap->as_integer());
    out.trap->message = out.diagnostic.message;
    if (const Json* tensor = head.find("tensor"); tensor && tensor->as_string())
      out.trap->tensor = *tensor->as_string();
  }
  return out;
}

ExecutionFailure failure_of(const WorkerOutcome& outcome) {
  return {std::nullopt, make_error(concat("worker-", name_of(outcome.kind)), concat("the worker: ", outcome.reason))};
}

std::optional<Json> CandidatePool::machine() const {
  const std::lock_guard lock(mutex_);
  return machine_;
}

void CandidatePool::remember_machine(const Json& machine) {
  const std::lock_guard lock(mutex_);
  machine_ = machine;
}

void CandidatePool::note_cache_problem(const Json& times) {
  const Json* problem = times.find("cache_problem");
  if (!problem || !problem->as_string()) return;
  const std::lock_guard lock(mutex_);
  if (cache_problem_.empty()) cache_problem_ = *problem->as_string();
}

std::string CandidatePool::cache_problem() const {
  const std::lock_guard lock(mutex_);
  return cache_problem_;
}

void CandidatePool::compile(const Program& program, Arithmetic arithmetic) {
  if (options_.cache.empty()) return;
  Message request;
  request.head.set("op", "compile").set("device", word_of(options_.device)).set("cache", options_.cache);
  request.head.set("arithmetic", word_of(arithmetic)).set("program", to_json(program, Profile::paper));
  static_cast<void>(workers_.call(pack(request), call_options()));
}

Result<CandidatePool::Ran, ExecutionFailure> CandidatePool::run(const Program& program, const Tensors& inputs) {
  Message request;
  request.head.set("op", "run").set("device", word_of(options_.device)).set("threads", options_.threads);
  request.head.set("cache", options_.cache).set("program", to_json(program, Profile::paper));
  request.tensors = inputs;
  const WorkerOutcome outcome = workers_.call(pack(request), call_options());
  if (!outcome.ok()) return failure_of(outcome);
  auto answer = unpack(outcome.answer);
  if (!answer) {
    WorkerOutcome garbled;
    garbled.kind = WorkerOutcome::Kind::garbled;
    garbled.reason = "what it sent is not an answer";
    return failure_of(garbled);
  }
  if (auto failure = failure_in(answer->head)) return *std::move(failure);
  Ran out;
  out.outputs = std::move(answer->tensors);
  if (const Json* seconds = answer->head.find("seconds")) out.seconds = seconds->number();
  if (const Json* times = answer->head.find("times")) note_cache_problem(*times);
  return out;
}

}  // namespace steptp
