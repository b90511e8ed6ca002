#include <nanobind/stl/string.h>

#include "python/src/bindings.h"
#include "steptp/base/text.h"
#include "steptp/documents/lower_document.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// The text, and the launch list as JSON, empty where the back end has none.
nb::tuple lower_verb(const Document& document, const std::string& to, const std::string& device, bool main,
                     const std::string& dialect, const std::string& target) {
  LowerRequest request;
  request.to = value_of<Backend>("back end", to);
  request.main = main;
  request.dialect = value_of<tir::Dialect>("dialect", dialect);
  request.target = value_of<DeviceKind>("target", target);
  if (!device.empty()) {
    request.device = find_device(device);
    if (!request.device) {
      throw nb::value_error(concat("no device '", device, "': there are ", device_names()).c_str());
    }
  }
  std::string text;
  std::string launches;
  {
    const nb::gil_scoped_release release;
    auto made = lower_document(document, request);
    if (!made) throw_diagnostics(made.error().diagnostics, *document.source);
    text = std::move(made->text);
    if (!made->launches.is_null()) launches = made->launches.dump();
  }
  return nb::make_tuple(text, launches);
}

}  // namespace

void bind_lower(nb::module_& module) {
  module.def("lower", &lower_verb, nb::arg("document"), nb::arg("to"), nb::arg("device"), nb::arg("main"),
             nb::arg("dialect"), nb::arg("target"));
}

}  // namespace steptp::python
