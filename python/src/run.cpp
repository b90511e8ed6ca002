#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <tuple>

#include "python/src/bindings.h"
#include "python/src/workers.h"
#include "steptp/base/text.h"
#include "steptp/documents/run_compiled.h"
#include "steptp/documents/run_document.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

using Shape = std::vector<std::int64_t>;
/// Name, dtype code, shape, and a contiguous buffer; the package makes it from a numpy array.
using GivenArray = std::tuple<std::string, std::string, Shape, nb::object>;
using GivenElement = std::tuple<std::string, Shape>;

/// Bytes of an object with the buffer protocol.
std::vector<std::byte> bytes_of(const nb::object& object) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  std::vector<std::byte> out(static_cast<std::size_t>(buffer.len));
  if (!out.empty()) std::memcpy(out.data(), buffer.buf, out.size());
  PyBuffer_Release(&buffer);
  return out;
}

Tensors to_tensors(const std::vector<GivenArray>& arrays) {
  Tensors out;
  for (const auto& [name, dtype_code, shape, buffer] : arrays) {
    const auto dtype = parse_dtype(dtype_code);
    if (!dtype) throw nb::value_error(concat("no dtype '", dtype_code, "'").c_str());
    out[name] = Tensor{*dtype, shape, bytes_of(buffer)};
  }
  return out;
}

[[noreturn]] void throw_trap(RunFailure failure, const Source& source) {
  std::string rendered = render(failure.diagnostic, source);
  if (rendered.ends_with('\n')) rendered.pop_back();
  throw TrapFailure{std::move(failure), std::move(rendered)};
}

/// The run of an engine that compiles. What is no trap is thrown as diagnostics.
Result<RunResult, RunFailure> compiled_run(const Document& document, RunRequest request, Engine engine,
                                           SignalWatch& watch) {
  const Watched watched(watch);
  auto ran = run_compiled(document, std::move(request), pool_for(device_of(engine)));
  if (ran) return std::move(ran).value();
  if (watch.raised()) return RunFailure{};
  const CompiledFailure& failure = ran.error();
  if (failure.kind != CompiledFailure::Kind::trap) throw_diagnostics(failure.diagnostics, *document.source);
  Trap trap;
  trap.kind = failure.trap;
  trap.message = failure.diagnostics.front().message;
  return RunFailure{std::move(trap), failure.diagnostics.front()};
}

/// The JSON answer of the verb, the outputs, and the number of equations executed.
nb::tuple run_verb(const Document& document, const std::optional<std::vector<GivenArray>>& inputs, std::uint64_t seed,
                   std::uint64_t budget, const std::vector<GivenElement>& elements, const std::string& engine) {
  const auto chosen_engine = value_of<Engine>("engine", engine);
  RunRequest request;
  request.seed = seed;
  request.budget = budget;
  for (const auto& [tensor, subscripts] : elements) request.elements.push_back({tensor, subscripts});
  if (inputs) request.inputs = to_tensors(*inputs);
  SignalWatch watch;
  request.progress = [&watch](double, double) { return watch.go_on(); };
  RunResult result;
  std::string answer;
  {
    const nb::gil_scoped_release release;
    auto ran = chosen_engine == Engine::oracle ? run_document(document, std::move(request))
                                               : compiled_run(document, std::move(request), chosen_engine, watch);
    if (!ran && !watch.raised()) throw_trap(std::move(ran).error(), *document.source);
    if (ran) {
      result = *std::move(ran);
      std::vector<Element> chosen;
      for (const auto& [tensor, subscripts] : elements) chosen.push_back({tensor, subscripts});
      answer = to_json(result, chosen).dump();
    }
  }
  if (watch.raised()) throw nb::python_error();
  return nb::make_tuple(answer, to_python(result.outputs), result.executions);
}

nb::list seeded_inputs_verb(const Document& document, std::uint64_t seed) {
  Tensors tensors;
  {
    const nb::gil_scoped_release release;
    auto made = seeded_inputs(document.program, seed);
    if (!made) {
      const Diagnostic diagnostic = make_error(name_of(made.error().kind), made.error().message);
      throw_trap({std::move(made).error(), diagnostic}, *document.source);
    }
    tensors = *std::move(made);
  }
  return to_python(tensors);
}

/// Name and index of `D[0,3]`.
nb::tuple parse_element_verb(const std::string& text) {
  const auto element = parse_element(text);
  if (!element)
    throw nb::value_error(concat("'", text, "' is not an element: write the output and its index, D[0,3]").c_str());
  return nb::make_tuple(element->tensor, element->subscripts);
}

}  // namespace

nb::list to_python(const Tensors& tensors) {
  nb::list out;
  for (const auto& [name, tensor] : tensors) {
    const nb::object data = nb::steal(PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(tensor.data.data()),
                                                                    static_cast<Py_ssize_t>(tensor.data.size())));
    if (!data.is_valid()) throw nb::python_error();
    out.append(nb::make_tuple(name, std::string(code(tensor.dtype)), tensor.shape, data));
  }
  return out;
}

void bind_run(nb::module_& module) {
  module.def("run", &run_verb, nb::arg("document"), nb::arg("inputs").none(), nb::arg("seed"), nb::arg("budget"),
             nb::arg("elements"), nb::arg("engine"));
  module.def("seeded_inputs", &seeded_inputs_verb, nb::arg("document"), nb::arg("seed"));
  module.def("parse_element", &parse_element_verb, nb::arg("text"));
  module.attr("default_budget") = RunOptions().budget;
}

}  // namespace steptp::python
