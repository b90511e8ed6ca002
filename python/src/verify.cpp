#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "python/src/bindings.h"
#include "steptp/base/file.h"
#include "steptp/verbs/check_document.h"
#include "steptp/verify/certificate.h"
#include "steptp/verify/verify_pair.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// `before` is the caller's own program: what is wrong with it is raised, as `check` reports it.
[[noreturn]] void throw_unusable(const Document& before, const std::string& reason) {
  const CheckReport report = check_document(before);
  if (report.verdict == CheckReport::Verdict::errors) throw_diagnostics(report.diagnostics, *before.source);
  throw_one(make_error("no-signature", reason), before.source->name());
}

/// Judges on a thread of its own, so that this one can let Python handle signals (Ctrl-C) now and then. Called without
/// the interpreter's lock. False once a handler has raised; the exception is then pending.
bool judge(const Pair& pair, const VerifyOptions& options, double seconds, Judgement& judgement) {
  std::atomic<bool> stop = false;
  std::exception_ptr error;
  std::mutex mutex;
  std::condition_variable wake;
  bool is_done = false;
  bool is_interrupted = false;
  std::thread worker([&] {
    try {
      judgement = verify_in_time(pair, options, seconds, stop);
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    is_done = true;
    wake.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, std::chrono::milliseconds(50), [&] { return is_done; })) {
      if (is_interrupted) continue;
      lock.unlock();
      {
        const nb::gil_scoped_acquire acquire;
        is_interrupted = PyErr_CheckSignals() != 0;
      }
      if (is_interrupted) stop = true;
      lock.lock();
    }
  }
  worker.join();
  if (error) std::rethrow_exception(error);
  return !is_interrupted;
}

/// The JSON answer of the verb.
nb::object verify_verb(const Document& before, const Document& after, std::uint64_t seed,
                       std::optional<std::uint64_t> budget, const std::optional<std::string>& certificate_path,
                       double timeout, const std::string& range) {
  const auto safe_range = parse_safe_range(range);
  if (!safe_range) throw nb::value_error("range is 'middle', 'full' or two magnitudes 'lo,hi'");
  std::string answer;
  bool is_finished = false;
  {
    const nb::gil_scoped_release release;
    VerifyOptions options;
    options.seed = seed;
    if (budget) options.budget = *budget;
    options.safe_range = *safe_range;
    options.keep_record = certificate_path.has_value();
    const Pair pair = make_pair(before, after);
    Judgement judgement;
    is_finished = judge(pair, options, timeout, judgement);
    if (is_finished && judgement.unusable) throw_unusable(pair.before, judgement.reason);
    if (is_finished && certificate_path && problem_of(pair).empty()) {
      const auto written = write_file(*certificate_path, certificate(pair, judgement).dump() + "\n");
      if (!written) throw_one(written.error(), *certificate_path);
    }
    answer = to_json(pair.id, judgement).dump();
  }
  if (!is_finished) throw nb::python_error();
  return text_object(answer);
}

}  // namespace

void bind_verify(nb::module_& module) {
  module.def("verify", &verify_verb, nb::arg("before"), nb::arg("after"), nb::arg("seed"), nb::arg("budget").none(),
             nb::arg("certificate").none(), nb::arg("timeout"), nb::arg("range"));
}

}  // namespace steptp::python
