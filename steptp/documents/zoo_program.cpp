#include "steptp/documents/zoo_program.h"

#include <cctype>

#include "steptp/base/text.h"
#include "steptp/graph/graph_json.h"
#include "steptp/graph/torch_printer.h"
#include "steptp/text/document.h"
#include "steptp/zoo/compose.h"
#include "steptp/zoo/degenerate.h"

namespace steptp {

namespace {

Json number_json(double value, bool integer) { return integer ? Json(static_cast<std::int64_t>(value)) : Json(value); }

Json argument_json(const zoo::ArgumentRange& argument) {
  Json out;
  out.set("name", argument.name).set("default", number_json(argument.fallback, argument.is_integer));
  Json::Array numbers;
  if (!argument.choices.empty()) {
    for (const double choice : argument.choices) numbers.push_back(number_json(choice, argument.is_integer));
    return out.set("choices", std::move(numbers));
  }
  numbers.push_back(number_json(argument.low, argument.is_integer));
  numbers.push_back(number_json(argument.high, argument.is_integer));
  return out.set("range", std::move(numbers));
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string unknown_type_hint(const std::string& name) {
  std::vector<std::string> near;
  const std::string wanted = lower_case(name);
  for (const zoo::ProgramType& type : zoo::all_types()) {
    const std::string candidate = lower_case(type.name);
    if (candidate == wanted) return concat("did you mean ", type.name, "?");
    if (candidate.find(wanted) != std::string::npos && near.size() < 8) near.push_back(type.name);
  }
  if (near.empty()) return "steptp zoo list names all types";
  return concat("did you mean ", join(near, ", ", [](const std::string& text) { return text; }), "?");
}

}  // namespace

Result<ZooProgram, Diagnostic> zoo_program(const std::string& name, const zoo::Arguments& given, DType dtype) {
  ZooProgram out;
  out.type = zoo::find_type(name);
  out.dtype = dtype;
  if (!out.type)
    return make_error("zoo-type", concat("there is no program type '", name, "'"), unknown_type_hint(name));
  Result<zoo::Arguments, Diagnostic> arguments = zoo::complete(*out.type, given);
  if (!arguments) return arguments.error();
  out.arguments = std::move(arguments).value();
  Result<graph::Graph, Diagnostic> graph = zoo::build(*out.type, out.arguments, dtype);
  if (!graph) return graph.error();
  out.graph = std::move(graph).value();
  Result<frontend::Lowered, Diagnostic> lowered = frontend::lower(out.graph);
  if (!lowered) return lowered.error();
  out.program = std::move(lowered).value().program;
  return out;
}

namespace {

/// A vanilla nest launches as many threads as its first loop has iterations.
bool launches(const Program& program) {
  constexpr std::int64_t kMostThreads = 1024;
  for (const NestPtr& nest : program.nests) {
    for (const Loop& loop : nest->loops) {
      if (loop.kind == LoopKind::bound && loop.extent > kMostThreads) return false;
    }
  }
  return true;
}

}  // namespace

Result<ZooProgram, Diagnostic> zoo_program_drawn(const std::string& name, const zoo::Arguments& given, DType dtype,
                                                 std::uint64_t seed) {
  constexpr int kAttempts = 10000;
  const zoo::ProgramType* type = zoo::find_type(name);
  if (!type) return zoo_program(name, given, dtype);
  Random random(seed);
  Diagnostic last;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    zoo::Arguments arguments = zoo::draw_arguments(*type, random);
    for (const auto& [key, number] : given) arguments[key] = number;
    Result<ZooProgram, Diagnostic> made = zoo_program(name, arguments, dtype);
    if (!made && made.error().id != "zoo-arguments") return made;
    if (made && zoo::largest_tensor(made->graph) <= zoo::DrawOptions().most_bytes && launches(made->program))
      return made;
    last = made ? make_error("zoo-arguments", concat(name, ": every draw was too large")) : made.error();
  }
  return last;
}

std::optional<ZooDraw> zoo_draw(std::uint64_t seed, std::uint64_t index, zoo::DrawOptions options, bool any_launch) {
  Program program;
  options.accept = [&](const graph::Graph& graph) {
    Result<frontend::Lowered, Diagnostic> lowered = frontend::lower(graph);
    if (!lowered) return false;
    program = std::move(lowered).value().program;
    return any_launch || launches(program);
  };
  std::optional<zoo::Draw> drawn = zoo::draw(seed, index, options);
  if (!drawn) return std::nullopt;
  ZooDraw out;
  out.structure = zoo::structure_hash(drawn->graph);
  out.program = {drawn->type, std::move(drawn->arguments), drawn->dtype, std::move(drawn->graph), std::move(program)};
  out.invalid = drawn->invalid;
  out.oversize = drawn->oversize;
  out.beyond_launch = drawn->refused;
  return out;
}

std::string to_text(const ZooProgram& program, ZooForm form, Profile profile) {
  switch (form) {
    case ZooForm::leir: return print_document(program.program, profile);
    case ZooForm::torch: return graph::print_torch(program.graph);
    case ZooForm::graph: return graph::to_json(program.graph).dump() + "\n";
  }
  return {};
}

Json to_json(const zoo::ProgramType& type) {
  Json out;
  out.set("program", type.name).set("level", type.level).set("number", type.number).set("family", type.family);
  Json::Array arguments;
  for (const zoo::ArgumentRange& argument : type.arguments) arguments.push_back(argument_json(argument));
  return out.set("arguments", std::move(arguments));
}

Json to_json(const ZooProgram& program, Profile profile) {
  Json out;
  out.set("program", program.program.name);
  if (program.type) {
    Json arguments{Json::Object()};
    for (const zoo::ArgumentRange& argument : program.type->arguments) {
      arguments.set(argument.name, number_json(program.arguments.at(argument.name), argument.is_integer));
    }
    out.set("args", std::move(arguments));
  }
  out.set("dtype", info(program.dtype).torch_name);
  const Json record = to_json(program.program, profile);
  out.set("signature", *record.find("signature")).set("leir", *record.find("leir"));
  return out.set("degenerate", zoo::is_degenerate(program.graph));
}

}  // namespace steptp
