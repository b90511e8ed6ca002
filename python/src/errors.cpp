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

void throw_one(Diagnostic diagnostic, const std::string& name) {
  throw_diagnostics({std::move(diagnostic)}, Source(name, ""));
}

nb::object text_object(std::string_view bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

nb::list to_python(const Diagnostics& diagnostics) {
  const nb::object type = nb::module_::import_("steptp._errors").attr("Diagnostic");
  nb::list out;
  for (const Diagnostic& d : diagnostics) {
    out.append(type(text_object(d.id), text_object(severity_name(d.severity)), text_object(d.message),
                    text_object(d.hint), d.line, d.column, d.length, text_object(d.site)));
  }
  return out;
}

Profile profile_named(std::string_view name) {
  if (const auto profile = parse_profile(name)) return *profile;
  throw nb::value_error(concat("no profile '", name, "': there are 'paper' and 'compact'").c_str());
}

namespace {

void raise(const DiagnosticFailure& failure) {
  const nb::object type = nb::module_::import_("steptp._errors").attr("DiagnosticError");
  const nb::object error = type(text_object(failure.rendered), to_python(failure.diagnostics));
  PyErr_SetObject(type.ptr(), error.ptr());
}

const char* exception_name(TrapFamily family) {
  switch (family) {
    case TrapFamily::program:
    case TrapFamily::cancelled: return "RunError";
    case TrapFamily::input: return "InputError";
    case TrapFamily::limit: return "BudgetError";
  }
  return "RunError";
}

void raise(const TrapFailure& thrown) {
  const Trap& trap = thrown.failure.trap;
  const nb::object type = nb::module_::import_("steptp._errors").attr(exception_name(family_of(trap.kind)));
  nb::dict iteration;
  for (const auto& [name, value] : trap.iteration) iteration[text_object(name)] = value;
  nb::list subscripts;
  for (const std::int64_t subscript : trap.subscripts) subscripts.append(subscript);
  const nb::object error =
      type(text_object(thrown.rendered), text_object(name_of(trap.kind)), to_python({thrown.failure.diagnostic})[0],
           iteration, text_object(trap.tensor), nb::tuple(subscripts));
  PyErr_SetObject(type.ptr(), error.ptr());
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const DiagnosticFailure& failure) {
      raise(failure);
    } catch (const TrapFailure& failure) {
      raise(failure);
    }
  });
}

}  // namespace steptp::python
