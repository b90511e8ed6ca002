#include <nanobind/stl/string.h>

#include <exception>

#include "python/src/bindings.h"
#include "steptp/base/text.h"

namespace nb = nanobind;

namespace steptp::python {

void throw_diagnostics(const Diagnostics& diagnostics, const Source& source) {
  std::string rendered = render(diagnostics, source);
  if (rendered.ends_with('\n')) rendered.pop_back();
  throw DiagnosticFailure{diagnostics, std::move(rendered)};
}

namespace {

/// Messages may quote any byte of the input.
nb::object text(const std::string& bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

}  // namespace

nb::list to_python(const Diagnostics& diagnostics) {
  const nb::object type = nb::module_::import_("steptp._errors").attr("Diagnostic");
  nb::list out;
  for (const Diagnostic& d : diagnostics) {
    out.append(type(text(d.id), text(std::string(severity_name(d.severity))), text(d.message), text(d.hint), d.line,
                    d.column, d.length));
  }
  return out;
}

Profile profile_named(std::string_view name) {
  if (const auto profile = parse_profile(name)) return *profile;
  throw nb::value_error(concat("no profile '", name, "': there are 'paper' and 'compact'").c_str());
}

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const DiagnosticFailure& failure) {
      const nb::object type = nb::module_::import_("steptp._errors").attr("DiagnosticError");
      const nb::object error = type(text(failure.rendered), to_python(failure.diagnostics));
      PyErr_SetObject(type.ptr(), error.ptr());
    }
  });
}

}  // namespace steptp::python
