#include "python/src/bindings.h"
#include "steptp/base/json.h"
#include "steptp/measure/expected.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// Drawn inputs, and what some elements of every output have to be there: certified values with the distance at which a
/// result of another order of operations may lie, as JSON.
nb::tuple certified_elements(const Program& program, std::uint64_t seed, std::uint32_t wanted,
                             std::uint64_t operations) {
  Tensors inputs;
  Expectations expected;
  std::string problem;
  {
    const nb::gil_scoped_release release;
    auto drawn = drawn_inputs(program, seed);
    if (drawn) {
      inputs = std::move(drawn).value();
      expected = expected_elements(program, program, seed, wanted, operations, RunOrder::any);
    } else {
      problem = drawn.error();
    }
  }
  if (!problem.empty()) throw nb::value_error(problem.c_str());
  return nb::make_tuple(to_python(inputs), text_object(to_json(expected).dump()));
}

}  // namespace

void bind_certified(nb::module_& module) {
  module.def("certified_elements", &certified_elements, nb::arg("program"), nb::arg("seed"), nb::arg("wanted"),
             nb::arg("operations"));
}

}  // namespace steptp::python
