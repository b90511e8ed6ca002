#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "python/src/bindings.h"
#include "steptp/base/text.h"
#include "steptp/documents/check_document.h"
#include "steptp/structure/catalogue.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

nb::object verdict_object(CheckReport::Verdict verdict) {
  switch (verdict) {
    case CheckReport::Verdict::ok: return nb::bool_(true);
    case CheckReport::Verdict::errors: return nb::bool_(false);
    case CheckReport::Verdict::unknown: return nb::str("unknown");
  }
  return nb::bool_(false);
}

/// The fields of steptp.CheckReport, in order.
nb::tuple check_verb(const Document& document, std::string_view device) {
  CheckOptions options;
  if (!device.empty()) {
    options.device = find_device(device);
    if (!options.device) {
      throw nb::value_error(concat("there is no device '", device, "'; the devices are: ", device_names()).c_str());
    }
  }
  CheckReport report;
  {
    const nb::gil_scoped_release release;
    report = check_document(document, options);
  }
  nb::list assumes;
  for (const std::string& text : report.assumes) assumes.append(text_object(text));
  return nb::make_tuple(verdict_object(report.verdict), report.extended, assumes, to_python(report.diagnostics));
}

std::string explain_verb(std::string_view id) {
  if (const Explanation* entry = find_explanation(id)) return to_text(*entry);
  const std::string known = join(all_explanations(), " ", [](const Explanation& item) { return item.id; });
  throw nb::value_error(concat("there is no diagnostic '", id, "'; the ids are: ", known).c_str());
}

}  // namespace

void bind_check(nb::module_& module) {
  module.def("check", &check_verb, nb::arg("document"), nb::arg("device"));
  module.def("explain", &explain_verb, nb::arg("id"));
}

}  // namespace steptp::python
