#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "python/src/bindings.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/graph/graph_json.h"
#include "steptp/graph/torch_printer.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

DType float_named(const std::string& name) {
  const std::optional<DType> dtype = parse_dtype(name);
  if (!dtype || !is_float(*dtype))
    throw nb::value_error(concat("no dtype '", name, "': there are f16, f32, f64 and bf16").c_str());
  return *dtype;
}

std::string list_types() {
  const nb::gil_scoped_release release;
  Json::Array out;
  for (const zoo::ProgramType& type : zoo::all_types()) out.push_back(to_json(type));
  return Json(std::move(out)).dump();
}

/// The program, its record, its PyTorch file and its graph.
using Shown = std::tuple<Program, std::string, std::string, std::string>;

Shown shown(ZooProgram&& made) {
  std::string record = to_json(made, Profile::paper).dump();
  std::string torch = graph::print_torch(made.graph);
  std::string text = graph::to_json(made.graph).dump();
  return {std::move(made.program), std::move(record), std::move(torch), std::move(text)};
}

Shown show(const std::string& name, const std::map<std::string, double>& arguments, const std::string& dtype) {
  const DType element = float_named(dtype);
  const nb::gil_scoped_release release;
  Result<ZooProgram, Diagnostic> made = zoo_program(name, arguments, element);
  if (!made) throw_one(made.error(), name);
  return shown(std::move(made).value());
}

std::vector<Shown> draw(std::uint64_t seed, std::uint64_t first, std::uint64_t count,
                        const std::vector<std::string>& types, const std::vector<std::string>& dtypes,
                        unsigned compositions) {
  zoo::DrawOptions options;
  if (!dtypes.empty()) options.dtypes.clear();
  for (const std::string& name : dtypes) options.dtypes.push_back(float_named(name));
  const nb::gil_scoped_release release;
  for (const std::string& name : types) {
    const zoo::ProgramType* type = zoo::find_type(name);
    if (!type) throw_one(make_error("zoo-type", concat("there is no program type '", name, "'")), name);
    options.types.push_back(type);
  }
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (types.empty()) options.types.push_back(&type);
  }
  options.compositions_percent = compositions;
  std::vector<Shown> out;
  for (std::uint64_t index = first; index < first + count; ++index) {
    std::optional<ZooDraw> drawn = zoo_draw(seed, index, options);
    if (drawn) out.push_back(shown(std::move(drawn->program)));
  }
  return out;
}

std::tuple<Program, std::string> lower_graph(const std::string& text) {
  const nb::gil_scoped_release release;
  const Result<graph::Graph, Diagnostic> graph = graph::parse_graph(text);
  if (!graph) throw_one(graph.error(), "<graph>");
  Result<frontend::Lowered, Diagnostic> lowered = frontend::lower(*graph);
  if (!lowered) throw_one(lowered.error(), "<graph>");
  return {std::move(lowered).value().program, graph::print_torch(*graph)};
}

}  // namespace

void bind_zoo(nb::module_& module) {
  module.def("zoo_list", &list_types);
  module.def("zoo_show", &show, nb::arg("name"), nb::arg("arguments"), nb::arg("dtype"));
  module.def("zoo_draw", &draw, nb::arg("seed"), nb::arg("first"), nb::arg("count"), nb::arg("types"),
             nb::arg("dtypes"), nb::arg("compositions"));
  module.def("lower_graph", &lower_graph, nb::arg("graph"));
}

}  // namespace steptp::python
