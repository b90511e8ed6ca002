#include "steptp/text/grammar.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "python/src/bindings.h"
#include "steptp/base/text.h"
#include "steptp/text/strategy_names.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

std::string grammar_verb(std::string_view profile_name, std::string_view target_name, bool published) {
  const Profile profile = profile_named(profile_name);
  const auto target = parse_grammar_target(target_name);
  if (!target) {
    throw nb::value_error(
        concat("no grammar for '", target_name, "': there are 'program', 'answer' and 'answers'").c_str());
  }
  const nb::gil_scoped_release release;
  return gbnf(profile, *target, strategy_names(), !published);
}

}  // namespace

void bind_grammar(nb::module_& module) {
  module.def("grammar", &grammar_verb, nb::arg("profile"), nb::arg("target"), nb::arg("published"));
}

}  // namespace steptp::python
