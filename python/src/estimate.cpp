#include <nanobind/stl/string.h>

#include "python/src/bindings.h"
#include "python/src/workers.h"
#include "steptp/base/text.h"
#include "steptp/documents/check_document.h"
#include "steptp/estimate/estimate.h"
#include "steptp/measure/calibration.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// A table as text, or the name of a device.
DeviceRates rates_of(const std::string& device, const std::string& table) {
  if (table.empty()) {
    auto rates = find_rates(device);
    if (!rates) throw nb::value_error(rates.error().c_str());
    return std::move(rates).value();
  }
  const auto json = parse_json(table);
  if (!json) throw nb::value_error("the table of rates is no JSON");
  auto rates = rates_of_json(*json);
  if (!rates) throw nb::value_error(rates.error().c_str());
  return std::move(rates).value();
}

/// The JSON answer of the verb.
std::string estimate_verb(const Document& document, const std::string& device, const std::string& table) {
  if (!document.ok) throw_diagnostics(document.diagnostics, *document.source);
  const CheckReport report = check_document(document);
  if (report.verdict == CheckReport::Verdict::errors) throw_diagnostics(report.diagnostics, *document.source);
  const DeviceRates rates = rates_of(device, table);
  const nb::gil_scoped_release release;
  const auto made = estimate(document.program, rates);
  if (!made) throw_one(make_error("estimate", made.error()), document.source->name());
  return to_json(*made).set("floor_seconds", floor_seconds(document.program, rates)).dump();
}

std::string rates_verb(const std::string& device) { return to_json(rates_of(device, "")).dump(); }

/// Measures this machine and keeps what it found.
std::string calibrate_verb(const std::string& device, double budget) {
  const auto kind = value_of<DeviceKind>("device", device);
  const nb::gil_scoped_release release;
  const auto rates = calibrate(pool_for(kind), budget);
  if (!rates) throw_one(rates.error().diagnostic, "steptp");
  if (const auto kept = keep_rates(*rates); !kept) throw_one(make_error("write", kept.error()), "steptp");
  return to_json(*rates).dump();
}

}  // namespace

void bind_estimate(nb::module_& module) {
  module.def("estimate", &estimate_verb, nb::arg("document"), nb::arg("device"), nb::arg("table"));
  module.def("device_rates", &rates_verb, nb::arg("device"));
  module.def("calibrate_device", &calibrate_verb, nb::arg("device"), nb::arg("budget"));
}

}  // namespace steptp::python
