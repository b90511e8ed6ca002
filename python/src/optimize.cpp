#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "python/src/bindings.h"
#include "python/src/workers.h"
#include "steptp/analysis/device.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/documents/check_document.h"
#include "steptp/documents/usable.h"
#include "steptp/optimize/optimize.h"
#include "steptp/optimize/output_folder.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

void require_ok(const Document& document) {
  if (!document.ok) throw_diagnostics(document.diagnostics, *document.source);
  const Diagnostics unusable = find_unusable(document);
  if (!unusable.empty()) throw_diagnostics(unusable, *document.source);
  const CheckReport report = check_document(document);
  if (report.verdict != CheckReport::Verdict::ok) throw_diagnostics(report.diagnostics, *document.source);
}

OptimizeRequest request_for(const std::string& device, bool require_safe, std::uint64_t seed, std::uint64_t jobs) {
  const auto rates = find_rates(device);
  if (!rates) throw nb::value_error(rates.error().c_str());
  OptimizeRequest out;
  out.target = plan_target(*rates);
  out.rates = *rates;
  out.jobs = jobs == 0 ? default_jobs() : static_cast<unsigned>(jobs);
  out.require_safe = require_safe;
  out.judging.command = worker_command(WorkerKind::judge);
  out.judging.seed = seed;
  return out;
}

/// (program, JSON answer, plan as JSON, plan in words, the files that the command line writes by their names)
nb::tuple optimize_verb(const Document& document, const std::string& device,
                        const std::optional<std::string>& plan_text, bool require_safe, std::uint64_t seed,
                        std::uint64_t jobs) {
  require_ok(document);
  OptimizeRequest request = request_for(device, require_safe, seed, jobs);
  std::optional<Plan> plan;
  if (plan_text) {
    const auto json = parse_json(*plan_text);
    if (!json) throw nb::value_error("the plan is no JSON");
    const auto read = plan_from_json(*json);
    if (!read) throw nb::value_error(read.error().c_str());
    plan = *read;
  }
  SignalWatch watch;
  request.go_on = request.judging.go_on = [&] { return watch.go_on(); };
  auto done = [&]() -> Result<Optimized, std::string> {
    const nb::gil_scoped_release release;
    if (plan) return optimize_by(document, *plan, request);
    return optimize(document, request);
  }();
  if (watch.raised()) throw nb::python_error();
  if (!done) throw nb::value_error(done.error().c_str());
  nb::dict files;
  for (const auto& [name, content] : files_of(document, *done, request))
    files[text_object(name)] = text_object(content);
  return nb::make_tuple(nb::cast(done->program), text_object(to_json(*done, request).dump()),
                        text_object(to_json(done->plan).dump()), text_object(explain(*done, request)), files);
}

}  // namespace

void bind_optimize(nb::module_& module) {
  module.def("optimize", &optimize_verb, nb::arg("document"), nb::arg("device"), nb::arg("plan").none(),
             nb::arg("require_safe"), nb::arg("seed"), nb::arg("jobs"));
}

}  // namespace steptp::python
