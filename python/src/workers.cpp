#include "python/src/workers.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "python/src/bindings.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/documents/time_document.h"
#include "steptp/execution/object_cache.h"
#include "steptp/measure/candidates.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

thread_local SignalWatch* watch_of_thread = nullptr;

/// The JSON answer of the verb.
std::string time_verb(const std::vector<Document>& documents, const std::string& device, double budget, double spread,
                      bool warm, std::uint64_t seed, bool graph, const std::optional<Document>& root,
                      const std::string& arithmetic) {
  const auto kind = value_of<DeviceKind>("device", device);
  TimeRequest request;
  request.budget_seconds = budget;
  request.wanted_spread = spread;
  request.cold = !warm;
  request.seed = seed;
  request.as_graph = graph;
  request.arithmetic = value_of<Arithmetic>("arithmetic", arithmetic);
  std::vector<const Document*> all;
  for (const Document& document : documents) all.push_back(&document);
  SignalWatch watch;
  std::string answer;
  {
    const nb::gil_scoped_release release;
    const Watched watched(watch);
    CandidatePool& pool = pool_for(kind);
    std::optional<RootElements> elements;
    if (root) {
      auto made = root_elements(*root, seed, request.check_operations, pool);
      if (!made) throw_diagnostics(made.error().diagnostics, *root->source);
      elements.emplace(std::move(made).value());
      request.root = &*elements;
    }
    const auto report = time_documents(all, pool, request);
    if (!report && !watch.raised()) throw_diagnostics(report.error().diagnostics, *documents.front().source);
    if (report) answer = to_json(*report).dump();
  }
  if (watch.raised()) throw nb::python_error();
  return answer;
}

int worker_main(std::uint64_t memory_bytes, int gpu) {
  const nb::gil_scoped_release release;
  return run_candidate_worker(Worker::kDescriptor, {memory_bytes}, gpu);
}

}  // namespace

bool SignalWatch::go_on() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return true;
  next_ = now + std::chrono::milliseconds(50);
  const nb::gil_scoped_acquire acquire;
  raised_ = PyErr_CheckSignals() != 0;
  return !raised_;
}

Watched::Watched(SignalWatch& watch) { watch_of_thread = &watch; }
Watched::~Watched() { watch_of_thread = nullptr; }

std::vector<std::string> worker_command(WorkerKind kind) {
  const nb::gil_scoped_acquire acquire;
  const nb::object command = nb::module_::import_("steptp._workers").attr("command_for");
  return nb::cast<std::vector<std::string>>(command(std::string(word_of(kind))));
}

CandidatePool& pool_for(DeviceKind device) {
  static std::mutex mutex;
  static std::map<DeviceKind, std::unique_ptr<CandidatePool>> pools;
  // Before the lock below: who holds the interpreter's lock may be waiting for that one.
  std::vector<std::string> command = worker_command(WorkerKind::candidates);
  const std::lock_guard lock(mutex);
  std::unique_ptr<CandidatePool>& pool = pools[device];
  if (!pool) {
    CandidateOptions options;
    options.worker = std::move(command);
    options.device = device;
    options.cache = ObjectCache::default_folder();
    options.go_on = [] { return !watch_of_thread || watch_of_thread->go_on(); };
    pool = std::make_unique<CandidatePool>(options, device == DeviceKind::cuda ? 1 : default_jobs());
  }
  return *pool;
}

void bind_workers(nb::module_& module) {
  module.def("time", &time_verb, nb::arg("documents"), nb::arg("device"), nb::arg("budget"), nb::arg("spread"),
             nb::arg("warm"), nb::arg("seed"), nb::arg("graph"), nb::arg("root").none(), nb::arg("arithmetic"));
  module.def("worker_main", &worker_main, nb::arg("memory_bytes"), nb::arg("gpu"));
}

}  // namespace steptp::python
