#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "python/src/bindings.h"
#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/text/document.h"
#include "steptp/text/signature_text.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

[[noreturn]] void throw_one(Diagnostic diagnostic, const std::string& name) {
  throw_diagnostics({std::move(diagnostic)}, Source(name, ""));
}

Signature parse_signature(const std::string& text) {
  const auto json = parse_json(text);
  if (!json) throw_one(make_error("json", json.error().message), "signature");
  if (!json->as_array()) throw_one(make_error("signature", "a signature is a list of variables"), "signature");
  Signature signature;
  for (const Json& entry : *json->as_array()) {
    auto variable = variable_from_json(entry);
    if (!variable) throw_one(make_error("signature", variable.error()), "signature");
    signature.variables.push_back(*std::move(variable));
  }
  return signature;
}

Document read_bytes(std::string name, std::string content, const std::optional<std::string>& signature) {
  if (signature) return read_program_text(std::move(name), std::move(content), parse_signature(*signature));
  return read_document(std::move(name), std::move(content));
}

/// The program, its warnings, and these as text.
nb::tuple finish(Document document) {
  std::string rendered;
  {
    const nb::gil_scoped_release release;
    if (!document.ok) throw_diagnostics(document.diagnostics, *document.source);
    rendered = render(document.diagnostics, *document.source);
  }
  return nb::make_tuple(std::move(document.program), to_python(document.diagnostics),
                        nb::bytes(rendered.data(), rendered.size()));
}

nb::tuple read_text_verb(const nb::bytes& content, const std::optional<std::string>& signature) {
  std::string copy(content.c_str(), content.size());
  Document document;
  {
    const nb::gil_scoped_release release;
    document = read_bytes("<text>", std::move(copy), signature);
  }
  return finish(std::move(document));
}

nb::tuple read_file_verb(const std::string& path, const std::optional<std::string>& signature) {
  Document document;
  {
    const nb::gil_scoped_release release;
    auto content = read_file(path);
    if (!content) throw_one(content.error(), path);
    document = read_bytes(path, *std::move(content), signature);
  }
  return finish(std::move(document));
}

}  // namespace

void bind_read(nb::module_& module) {
  module.def("read_text", &read_text_verb, nb::arg("content"), nb::arg("signature").none());
  module.def("read_file", &read_file_verb, nb::arg("path"), nb::arg("signature").none());
}

}  // namespace steptp::python
