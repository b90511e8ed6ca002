// The worker's side of running and timing: it reads a request, compiles, runs, and answers. What cannot be done is
// an answer too. After an error that leaves a GPU unusable the worker ends itself, and its pool starts another.
// Decision 0027.
#include "steptp/measure/candidates.h"

#include <malloc.h>

#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/lowering/target.h"
#include "steptp/measure/gpu_turn.h"
#include "steptp/measure/kept_peak.h"
#include "steptp/measure/work.h"

namespace steptp {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Message error(std::string_view id, std::string_view message, std::string_view hint = {}) {
  Message out;
  out.head.set("error", id).set("message", message);
  if (!hint.empty()) out.head.set("hint", hint);
  return out;
}

Message error(const Diagnostic& diagnostic) {
  Message out = error(diagnostic.id, diagnostic.message, diagnostic.hint);
  if (!diagnostic.site.empty()) out.head.set("site", diagnostic.site);
  return out;
}

std::string text_at(const Json& head, std::string_view key) {
  const Json* value = head.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}
std::int64_t integer_at(const Json& head, std::string_view key) {
  const Json* value = head.find(key);
  return value && value->as_integer() ? *value->as_integer() : 0;
}
double number_at(const Json& head, std::string_view key) {
  const Json* value = head.find(key);
  return value && value->is_number() ? value->number() : 0;
}
bool flag_at(const Json& head, std::string_view key) {
  const Json* value = head.find(key);
  return value && value->as_bool() && *value->as_bool();
}

Message unknown_device(const Json& head) {
  return error("internal", concat("there is no device '", text_at(head, "device"), "'"));
}

Json flops_json(const std::map<DType, double>& flops) {
  Json out = Json::Object();
  for (const auto& [dtype, count] : flops) out.set(code(dtype), count);
  return out;
}

Json times_json(const CompileTimes& times) {
  Json out;
  out.set("lower", times.lower_milliseconds).set("compile", times.compile_milliseconds);
  return out.set("load", times.load_milliseconds).set("cached", times.from_cache);
}

}  // namespace

std::string CandidateWorker::answer(const std::string& request) {
  const auto message = unpack(request);
  Message out = message ? dispatch(*message) : error("internal", "a request that is not a message");
  // What the GPU's context says from now on means nothing.
  if (device_ && device_->is_lost()) throw WorkerIsOver(text_at(out.head, "message"));
  return pack(out);
}

Message CandidateWorker::dispatch(const Message& request) {
  const std::string op = text_at(request.head, "op");
  if (op == "machine") return machine(request.head);
  if (op == "run") return run(request);
  if (op == "compile") return compile_ahead(request.head);
  if (op == "prepare") return prepare(request);
  if (op == "measure") return measure(request.head);
  if (op == "expect") return expect(request.head);
  if (op == "finish") return finish(request.head);
  return error("internal", concat("there is no request '", op, "'"));
}

std::optional<Message> CandidateWorker::open_device() {
  if (device_) return std::nullopt;
  auto opened = CudaDevice::open(gpu_);
  if (!opened) return error(opened.error());
  device_ = std::move(opened).value();
  return std::nullopt;
}

Message CandidateWorker::machine(const Json& head) {
  MachinePeak peak;
  Message out;
  const auto device = read_word<DeviceKind>(text_at(head, "device"));
  if (!device) return unknown_device(head);
  if (*device == DeviceKind::cuda) {
    if (auto problem = open_device()) return *std::move(problem);
    const auto count = CudaDevice::count();
    peak.name = device_->name();
    peak.source = "clocks and widths that the driver tells, without tensor cores";
    peak.bytes_per_second = device_->peak_bytes_per_second();
    for (const DType dtype : {DType::f64, DType::f32, DType::f16}) peak.flops[dtype] = device_->peak_flops(dtype);
    out.head.set("count", count ? *count : 1);
  } else {
    if (const auto engine = find_llvm_engine(); !engine) return error(engine.error());
    peak = kept_cpu_peak(static_cast<unsigned>(integer_at(head, "threads")), text_at(head, "cache"));
  }
  out.head.set("name", peak.name).set("source", peak.source).set("bytes_per_second", peak.bytes_per_second);
  out.head.set("flops", flops_json(peak.flops));
  return out;
}

namespace {

/// Of `run`: the oracle's on a CPU; on a GPU that of CUDA, whose functions are not the oracle's anyway.
std::optional<Arithmetic> usual_arithmetic(DeviceKind device) {
  return device == DeviceKind::cpu ? Arithmetic::exact : Arithmetic::fast;
}

/// A run is as it is written for its engine; what is timed says how.
std::optional<Arithmetic> arithmetic_of(const Json& head, DeviceKind device) {
  const std::string word = text_at(head, "arithmetic");
  return word.empty() ? usual_arithmetic(device) : read_word<Arithmetic>(word);
}

}  // namespace

void CandidateWorker::use_cache(const Json& head) {
  const std::string folder = text_at(head, "cache");
  if (cache_ && folder == cache_folder_) return;
  cache_ = std::make_unique<ObjectCache>(folder);
  cache_folder_ = folder;
}

Message CandidateWorker::compile_ahead(const Json& head) {
  const Json* record = head.find("program");
  const Document document = read_document("program", record ? record->dump() : std::string());
  if (!document.ok) return error("internal", "the program cannot be read back");
  const auto device = read_word<DeviceKind>(text_at(head, "device"));
  if (!device) return unknown_device(head);
  const auto arithmetic = arithmetic_of(head, *device);
  if (!arithmetic) return error("internal", "there is no such arithmetic");
  use_cache(head);
  if (*device == DeviceKind::cpu) {
    const auto made = LlvmProgram::compile(document.program, *cache_, *arithmetic);
    return made ? Message{} : error(made.error());
  }
  if (!described_) {
    auto described = CudaDevice::describe(gpu_);
    if (!described) return error(described.error());
    described_ = std::move(described).value();
  }
  const auto problem = CudaProgram::compile_ahead(document.program, *described_, *cache_, *arithmetic);
  return problem ? error(*problem) : Message{};
}

std::optional<Message> CandidateWorker::compile(const Json& head, Prepared& out, Json& times) {
  const Json* record = head.find("program");
  out.document = read_document("program", record ? record->dump() : std::string());
  if (!out.document.ok) return error("internal", "the program cannot be read back");
  use_cache(head);
  Work work;
  const auto device = read_word<DeviceKind>(text_at(head, "device"));
  if (!device) return unknown_device(head);
  const auto arithmetic = arithmetic_of(head, *device);
  if (!arithmetic) return error("internal", "there is no such arithmetic");
  if (*device == DeviceKind::cuda) {
    if (auto problem = open_device()) return problem;
    auto made = CudaProgram::compile(out.document.program, *device_, *cache_, *arithmetic);
    if (!made) return error(made.error());
    out.gpu = std::move(made).value();
    times = times_json(out.gpu->times());
    work = work_of(out.gpu->arrangement());
  } else {
    auto made = LlvmProgram::compile(out.document.program, *cache_, *arithmetic);
    if (!made) return error(made.error());
    out.cpu.emplace(std::move(made).value());
    times = times_json(out.cpu->times());
    work = work_of(out.cpu->arrangement());
  }
  times.set("bytes", work.bytes).set("certain_bytes", work.certain_bytes).set("flops", flops_json(work.flops));
  times.set("certain_flops", flops_json(work.certain_flops)).set("cache_problem", cache_->problem());
  return std::nullopt;
}

std::optional<Message> CandidateWorker::start(const Json& head, const Tensors& inputs, bool may_keep, Prepared& out) {
  auto session = out.gpu ? out.gpu->start(inputs, may_keep ? kept_.get() : nullptr)
                         : out.cpu->start(inputs, static_cast<unsigned>(integer_at(head, "threads")),
                                          may_keep ? &kept_on_cpu_ : nullptr);
  if (!session) return failed(session.error());
  out.session = std::move(session).value();
  return std::nullopt;
}

Message CandidateWorker::failed(const ExecutionFailure& failure) const {
  Message out = error(failure.diagnostic);
  if (failure.trap) {
    out.head.set("trap", static_cast<int>(failure.trap->kind));
    if (!failure.trap->tensor.empty()) out.head.set("tensor", failure.trap->tensor);
  }
  return out;
}

Message CandidateWorker::run(const Message& request) {
  Prepared prepared;
  Json times;
  if (auto problem = compile(request.head, prepared, times)) return *std::move(problem);
  const GpuTurn turn(gpu_, prepared.gpu != nullptr);
  if (auto problem = start(request.head, request.tensors, false, prepared)) return *std::move(problem);
  if (auto failure = prepared.session->poison()) return failed(*failure);
  const auto seconds = prepared.session->run();
  if (!seconds) return failed(seconds.error());
  auto outputs = prepared.session->outputs();
  if (!outputs) return failed(outputs.error());
  Message out;
  out.head.set("seconds", *seconds).set("times", std::move(times));
  out.tensors = std::move(outputs).value();
  return out;
}

const Tensors* CandidateWorker::drawn(const Json& head, std::string& problem) {
  const Json* record = head.find("inputs_of");
  std::string name = concat(record ? record->dump() : "", "\n", integer_at(head, "seed"));
  if (name == drawn_for_) return &drawn_;
  const Document document = read_document("program", record ? record->dump() : std::string());
  auto made = document.ok ? drawn_inputs(document.program, static_cast<std::uint64_t>(integer_at(head, "seed")))
                          : Result<Tensors, std::string>(std::string("the program cannot be read back"));
  if (!made) {
    problem = made.error();
    return nullptr;
  }
  drawn_ = std::move(made).value();
  if (kept_) kept_->forget();
  kept_on_cpu_.forget();
  drawn_for_ = std::move(name);
  return &drawn_;
}

Message CandidateWorker::prepare(const Message& request) {
  auto prepared = std::make_unique<Prepared>();
  Json times;
  if (auto problem = compile(request.head, *prepared, times)) return *std::move(problem);
  std::string lack;
  const Tensors* inputs = drawn(request.head, lack);
  if (!inputs) return error("inputs", lack);
  const GpuTurn turn(gpu_, prepared->gpu != nullptr);
  if (prepared->gpu && !kept_) kept_ = std::make_unique<CudaInputs>(*device_, cache_folder_);
  if (auto problem = start(request.head, *inputs, true, *prepared)) return *std::move(problem);
  if (flag_at(request.head, "graph")) {
    if (const auto failure = prepared->session->prepare_launches()) return failed(*failure);
  }
  if (const Json* expected = request.head.find("expected")) {
    auto read = expectations_from_json(*expected);
    if (!read) return error("internal", "the expected elements cannot be read back");
    prepared->expected = *std::move(read);
  }
  prepared_[integer_at(request.head, "id")] = std::move(prepared);
  Message out;
  out.head.set("times", std::move(times));
  return out;
}

Message CandidateWorker::measure(const Json& head) {
  const auto at = prepared_.find(integer_at(head, "id"));
  if (at == prepared_.end()) return error("internal", "nothing is prepared under this number");
  const GpuTurn turn(gpu_, at->second->gpu != nullptr);
  Session& session = *at->second->session;
  const double limit = number_at(head, "seconds");
  const std::int64_t most = integer_at(head, "most");
  const bool cold = flag_at(head, "cold");
  Json::Array samples;
  const auto start_time = Clock::now();
  for (std::int64_t i = 0; i < most && (i == 0 || seconds_since(start_time) < limit); ++i) {
    if (auto failure = session.poison()) return failed(*failure);
    // Warm: what poisoning left in the caches is what a run would leave there; one run puts the inputs there too.
    if (auto failure = cold ? session.cool() : std::optional<ExecutionFailure>()) return failed(*failure);
    if (!cold && i == 0) {
      if (const auto ran = session.run(); !ran) return failed(ran.error());
    }
    const auto seconds = session.run();
    if (!seconds) return failed(seconds.error());
    // All of them after the first run, so that a wrong program is not measured in vain, and after the last (`finish`).
    if (auto wrong = find_wrong(*at->second, !at->second->has_run)) return *std::move(wrong);
    at->second->has_run = true;
    samples.emplace_back(*seconds);
  }
  Message out;
  out.head.set("samples", std::move(samples));
  return out;
}

std::optional<Message> CandidateWorker::find_wrong(Prepared& prepared, bool all) const {
  for (const ExpectedElement& expected : prepared.expected) {
    if (!all && !expected.each_run) continue;
    const auto value = prepared.session->element(expected.output, expected.position);
    if (!value) return failed(value.error());
    if (is_expected(expected, *value)) continue;
    // As text, because JSON has no infinities.
    char wanted[64];
    if (expected.is_real) {
      std::snprintf(wanted, sizeof wanted, "%.9g within %.3g", expected.value, expected.allowed);
    } else {
      std::snprintf(wanted, sizeof wanted, "%" PRId64, expected.integer);
    }
    char got[64];
    if (is_float(value->dtype())) {
      std::snprintf(got, sizeof got, "%.9g", value->as_real());
    } else {
      std::snprintf(got, sizeof got, "%" PRId64, value->as_integer());
    }
    return error("wrong-result", concat("element ", expected.position, " of ", expected.output,
                                        " is not what it has to be: ", got, ", expected ", wanted));
  }
  return std::nullopt;
}

Message CandidateWorker::expect(const Json& head) {
  const auto at = prepared_.find(integer_at(head, "id"));
  const Json* expected = head.find("expected");
  auto read = expected ? expectations_from_json(*expected) : std::nullopt;
  if (at == prepared_.end() || !read) return error("internal", "there is nothing to compare");
  const GpuTurn turn(gpu_, at->second->gpu != nullptr);
  at->second->expected = *std::move(read);
  if (auto wrong = find_wrong(*at->second, true)) return *std::move(wrong);
  at->second->has_run = true;
  return {};
}

Message CandidateWorker::finish(const Json& head) {
  const auto at = prepared_.find(integer_at(head, "id"));
  if (at == prepared_.end()) return error("internal", "nothing is prepared under this number");
  const GpuTurn turn(gpu_, at->second->gpu != nullptr);
  if (at->second->has_run) {
    if (auto wrong = find_wrong(*at->second, true)) return *std::move(wrong);
  }
  const auto whole = at->second->session->inputs_are_whole();
  if (!whole) return failed(whole.error());
  prepared_.erase(at);
  Message out;
  out.head.set("inputs_whole", *whole);
  return out;
}

namespace {

/// Memory of a candidate serves the next one. What the system gives anew it fills with zeros page by page, which takes
/// longer than copying the data of most programs there.
void keep_memory() {
#ifdef __GLIBC__
  constexpr int kMostKept = 512 << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, kMostKept);
#endif
}

}  // namespace

int run_candidate_worker(int descriptor, const WorkerLimits& limits, int gpu) {
  keep_memory();
  CandidateWorker worker(gpu);
  return serve_requests(descriptor, limits, [&worker](const std::string& request) { return worker.answer(request); });
}

}  // namespace steptp
