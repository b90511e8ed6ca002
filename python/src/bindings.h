#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "steptp/base/diagnostic.h"
#include "steptp/base/text.h"
#include "steptp/base/words.h"
#include "steptp/documents/run_document.h"
#include "steptp/text/profile.h"

/// One function per verb, each in a file of its own: read.cpp, program.cpp, ...; module.cpp calls them. A binding does
/// the work without the lock of the interpreter (nanobind::gil_scoped_release) and touches Python objects only with it.
namespace steptp::python {

void bind_errors(nanobind::module_& module);
void bind_program(nanobind::module_& module);
void bind_read(nanobind::module_& module);
void bind_check(nanobind::module_& module);
void bind_run(nanobind::module_& module);
void bind_verify(nanobind::module_& module);
void bind_strategies(nanobind::module_& module);
void bind_lower(nanobind::module_& module);
void bind_optimize(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_tokens(nanobind::module_& module);
void bind_grammar(nanobind::module_& module);
void bind_import(nanobind::module_& module);
void bind_zoo(nanobind::module_& module);
void bind_workers(nanobind::module_& module);
void bind_evaluate(nanobind::module_& module);
void bind_dataset(nanobind::module_& module);
void bind_estimate(nanobind::module_& module);
void bind_cursor(nanobind::module_& module);
void bind_kernel_set(nanobind::module_& module);
void bind_certified(nanobind::module_& module);

/// Thrown by bindings, and seen in Python as steptp.DiagnosticError.
struct DiagnosticFailure {
  Diagnostics diagnostics;
  std::string rendered;
};
/// Throws the errors of a document; its warnings come along.
[[noreturn]] void throw_diagnostics(const Diagnostics& diagnostics, const Source& source);
/// Throws a message that belongs to no text but to something of that name.
[[noreturn]] void throw_one(Diagnostic diagnostic, const std::string& name);

/// Thrown by bindings, and seen in Python as steptp.RunError or one of its subclasses.
struct TrapFailure {
  RunFailure failure;
  std::string rendered;
};

/// Messages may quote any byte of the input: what is not UTF-8 is replaced.
[[nodiscard]] nanobind::object text_object(std::string_view bytes);

/// (name, dtype code, shape, bytearray) of each.
[[nodiscard]] nanobind::list to_python(const Tensors& tensors);

/// A list of steptp.Diagnostic.
[[nodiscard]] nanobind::list to_python(const Diagnostics& diagnostics);

/// What a word means, as the tables of base/words.h say; ValueError where it means nothing.
template <class Enum>
[[nodiscard]] Enum value_of(std::string_view what, const std::string& word) {
  const auto value = read_word<Enum>(word);
  if (!value)
    throw nanobind::value_error(concat("no ", what, " '", word, "': there are ", list_of_words<Enum>()).c_str());
  return *value;
}

/// The profile of that name; ValueError where there is none.
[[nodiscard]] Profile profile_named(std::string_view name);

}  // namespace steptp::python
