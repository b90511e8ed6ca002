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

/// `strict`: a text that cannot be read is thrown; else it is a document that only `verify` takes, as its `after`.
Document read_bytes(std::string name, std::string content, const std::optional<std::string>& signature, bool strict) {
  Document document = signature ? read_program_text(std::move(name), std::move(content), parse_signature(*signature))
                                : read_document(std::move(name), std::move(content));
  if (strict && !document.ok) throw_diagnostics(document.diagnostics, *document.source);
  return document;
}

Document read_text_verb(const nb::bytes& content, const std::optional<std::string>& signature, bool strict) {
  std::string copy(content.c_str(), content.size());
  const nb::gil_scoped_release release;
  return read_bytes("<text>", std::move(copy), signature, strict);
}

Document read_file_verb(const std::string& path, const std::optional<std::string>& signature, bool strict) {
  const nb::gil_scoped_release release;
  auto content = read_file(path);
  if (!content) throw_one(content.error(), path);
  return read_bytes(path, *std::move(content), signature, strict);
}

/// A program that is in memory already; messages point into its canonical text.
Document document_of(const Program& program) {
  const nb::gil_scoped_release release;
  Document document;
  document.program = program;
  document.ok = true;
  document.has_signature = !program.signature.variables.empty();
  document.source = std::make_shared<const Source>("<program>", print_document(program, Profile::paper));
  return document;
}

}  // namespace

void bind_read(nb::module_& module) {
  nb::class_<Document>(module, "Document")
      .def_prop_ro("program", [](const Document& document) { return document.program; })
      .def_prop_ro("warnings", [](const Document& document) {
        return text_object(render(document.diagnostics, *document.source));
      });
  module.def("read_text", &read_text_verb, nb::arg("content"), nb::arg("signature").none(), nb::arg("strict") = true);
  module.def("read_file", &read_file_verb, nb::arg("path"), nb::arg("signature").none(), nb::arg("strict") = true);
  module.def("document_of", &document_of, nb::arg("program"));
}

}  // namespace steptp::python
