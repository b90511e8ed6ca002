#include "steptp/ir/program.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "python/src/bindings.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/ir/canonical.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

std::string to_text(const Program& program, std::string_view profile_name, bool header) {
  const Profile profile = profile_named(profile_name);
  const nb::gil_scoped_release release;
  return header ? print_document(program, profile) : print(program, profile);
}

std::string hash_text_of(Hash hash) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += kHex[(hash >> static_cast<unsigned>(shift)) & 0xf];
  return out;
}

/// The signature as the JSON that `read` takes; the package turns it into dataclasses.
std::string signature_json(const Program& program) {
  return to_json(program, Profile::paper).find("signature")->dump();
}

}  // namespace

void bind_program(nb::module_& module) {
  // Attributes of its own: the package keeps there which module a program came from.
  nb::class_<Program>(
      module, "Program", nb::dynamic_attr(),
      "A program in LEIR: its name, its known variables and its nests. It does not change. `read` makes one "
      "of a text or a file, and `str` is its text.")
      .def_prop_ro("name", [](const Program& program) { return program.name; })
      .def_prop_ro("_signature_json", &signature_json)
      .def_prop_ro("hash", [](const Program& program) { return hash_text_of(hash_of(program)); })
      .def_prop_ro("canonical_hash", [](const Program& program) { return hash_text_of(canonical_hash(program)); })
      .def_prop_ro("extended", [](const Program& program) { return is_extended(program); })
      .def("to_text", &to_text, nb::arg("profile") = "paper", nb::kw_only(), nb::arg("header") = true)
      .def(
          "to_json",
          [](const Program& program, std::string_view profile) {
            return to_json(program, profile_named(profile)).dump();
          },
          nb::arg("profile") = "paper")
      .def(
          "__eq__", [](const Program& left, const Program& right) { return equal(left, right); }, nb::is_operator())
      .def("__hash__", [](const Program& program) { return static_cast<Py_hash_t>(hash_of(program) >> 1U); })
      .def("__str__", [](const Program& program) { return to_text(program, "paper", true); })
      .def("__repr__",
           [](const Program& program) {
             return concat("<steptp.Program '", program.name, "' ", program.nests.size(), " nests ",
                           hash_text_of(hash_of(program)), ">");
           })
      .def("__getstate__", [](const Program& program) { return to_json(program, Profile::paper).dump(); })
      .def("__setstate__", [](Program& program, const std::string& record) {
        Document document = read_document("pickle", record);
        if (!document.ok) throw_diagnostics(document.diagnostics, *document.source);
        new (&program) Program(std::move(document.program));
      });
  module.def("canonical", &canonical, nb::arg("program"), nb::call_guard<nb::gil_scoped_release>());
  module.def("same_up_to_renaming", &same_up_to_renaming, nb::arg("left"), nb::arg("right"),
             nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace steptp::python
