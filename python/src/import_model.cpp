#include "steptp/import/import_model.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "python/src/bindings.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// The program, the names as JSON, the values that are known, and the notes.
nb::tuple answer_of(const ImportedModel& model) {
  return nb::make_tuple(model.program, model.names.dump(), to_python(model.arrays), model.notes);
}

ImportedModel checked(Result<ImportedModel, ImportFailure> model, const std::string& name) {
  if (model) return *std::move(model);
  throw_diagnostics(model.error().diagnostics, Source(name, ""));
}

nb::tuple import_archive_verb(const nb::bytes& content, const std::string& name, std::optional<bool> training) {
  const std::string_view bytes(content.c_str(), content.size());
  ImportedModel model;
  {
    const nb::gil_scoped_release release;
    model = checked(import_archive(bytes, name, training), name);
  }
  return answer_of(model);
}

nb::tuple import_file_verb(const std::string& file, std::optional<bool> training, double seconds,
                           const std::string& python) {
  ImportedModel model;
  {
    const nb::gil_scoped_release release;
    model = checked(import_model({file, training, seconds, python}), file);
  }
  return answer_of(model);
}

}  // namespace

void bind_import(nb::module_& module) {
  module.def("import_archive", &import_archive_verb, nb::arg("content"), nb::arg("name"), nb::arg("training").none());
  module.def("import_file", &import_file_verb, nb::arg("file"), nb::arg("training").none(), nb::arg("seconds"),
             nb::arg("python"));
  module.def("kept_operators", &kept_operators);
}

}  // namespace steptp::python
