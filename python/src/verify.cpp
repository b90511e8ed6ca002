#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "python/src/bindings.h"
#include "python/src/workers.h"
#include "steptp/base/file.h"
#include "steptp/base/fresh_seed.h"
#include "steptp/documents/check_document.h"
#include "steptp/verify/judge_worker.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// `before` is the caller's own program: what is wrong with it is raised, as `check` reports it.
[[noreturn]] void throw_unusable(const Document& before, const std::string& reason) {
  const CheckReport report = check_document(before);
  if (report.verdict == CheckReport::Verdict::errors) throw_diagnostics(report.diagnostics, *before.source);
  throw_one(make_error("no-signature", reason), before.source->name());
}

/// The JSON answer of the verb.
nb::object verify_verb(const Document& before, const Document& after, std::optional<std::uint64_t> seed,
                       std::optional<std::uint64_t> budget, const std::optional<std::string>& certificate_path,
                       double timeout, const std::string& range) {
  const auto safe_range = parse_safe_range(range);
  if (!safe_range) throw nb::value_error("range is 'middle', 'full' or two magnitudes 'lo,hi'");
  std::string answer;
  SignalWatch watch;
  {
    const nb::gil_scoped_release release;
    ApartOptions options;
    options.command = worker_command(WorkerKind::judge);
    options.judge.seed = seed ? *seed : fresh_seed();
    options.judge.safe_range = *safe_range;
    if (budget) options.judge.budget = *budget;
    options.judge.safe_range = *safe_range;
    options.seconds = timeout;
    options.with_certificate = certificate_path.has_value();
    options.go_on = [&] { return watch.go_on(); };
    const Pair pair = make_pair(before, after);
    const ApartAnswer judged = verify_apart(pair, options);
    if (!watch.raised()) {
      if (judged.unusable) throw_unusable(pair.before, judged.reason);
      if (!judged.certificate.empty()) {
        const auto written = write_file(*certificate_path, judged.certificate + "\n");
        if (!written) throw_one(written.error(), *certificate_path);
      }
      answer = judged.answer.dump();
    }
  }
  if (watch.raised()) throw nb::python_error();
  return text_object(answer);
}

int judge_worker_main() {
  const nb::gil_scoped_release release;
  return run_judge_worker(Worker::kDescriptor);
}

}  // namespace

void bind_verify(nb::module_& module) {
  module.def("judge_worker_main", &judge_worker_main);
  module.def("verify", &verify_verb, nb::arg("before"), nb::arg("after"), nb::arg("seed").none(),
             nb::arg("budget").none(), nb::arg("certificate").none(), nb::arg("timeout"), nb::arg("range"));
}

}  // namespace steptp::python
