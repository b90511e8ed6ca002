// One program of the plan: as JSON, and made.
#include <charconv>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"
#include "steptp/dataset/plan.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/import/import_model.h"
#include "steptp/zoo/draw.h"

namespace steptp::dataset {

namespace {

constexpr std::string_view kKinds[] = {"type", "composition", "import"};

std::uint64_t hex_number(const Json* json) {
  std::uint64_t out = 0;
  if (!json || !json->as_string()) return 0;
  const std::string& text = *json->as_string();
  std::from_chars(text.data(), text.data() + text.size(), out, 16);
  return out;
}

std::string text_of(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}

/// The checksum that the configuration has of a file; empty where it does not name it.
std::string sum_of(const Configuration& configuration, const std::string& file) {
  for (std::size_t i = 0; i < configuration.imports.size(); ++i) {
    if (configuration.imports[i] == file) return configuration.import_sums[i];
  }
  return {};
}

Result<MadeProgram, Diagnostic> import_program(const std::string& file, const Configuration& configuration,
                                               const ImportPaths& paths) {
  const auto path = paths.find(file);
  if (path == paths.end())
    return make_error("configuration", concat("the dataset takes in '", file, "', and it is not there"),
                      "name it, or its folder, with --import");
  const auto content = read_file(path->second);
  if (!content) return content.error();
  if (sha256_hex(*content) != sum_of(configuration, file)) {
    return make_error("configuration", concat("'", path->second, "' is not the file that the dataset was begun with"),
                      "give the one that it was, or build into another folder");
  }
  auto imported = import_archive(*content, file.substr(0, file.rfind('.')), std::nullopt);
  if (!imported) {
    Diagnostic reason = imported.error().diagnostics.front();
    reason.message = concat("cannot import '", path->second, "': ", reason.message);
    return reason;
  }
  MadeProgram out;
  out.program = std::move(imported->program);
  return out;
}

}  // namespace

Json to_json(const PlannedProgram& planned) {
  Json out;
  out.set("number", planned.number).set("kind", kKinds[static_cast<std::size_t>(planned.kind)]);
  out.set("type", planned.type);
  Json arguments{Json::Object()};
  for (const auto& [name, value] : planned.arguments) arguments.set(name, value);
  out.set("arguments", std::move(arguments)).set("dtype", code(planned.dtype));
  out.set("seed", hash_name(planned.seed)).set("index", planned.index).set("name", planned.name);
  out.set("origin", planned.origin).set("split", name_of(planned.split)).set("entries", planned.entries);
  out.set("is_spare", planned.is_spare);
  return out.set("form", hash_name(planned.form)).set("pattern", hash_name(planned.pattern));
}

Result<PlannedProgram, std::string> planned_from_json(const Json& json) {
  PlannedProgram out;
  const std::string kind = text_of(json, "kind");
  while (out.kind != PlannedProgram::Kind::import && kKinds[static_cast<std::size_t>(out.kind)] != kind) {
    out.kind = static_cast<PlannedProgram::Kind>(static_cast<int>(out.kind) + 1);
  }
  const std::optional<DType> dtype = parse_dtype(text_of(json, "dtype"));
  const std::optional<Split> split = parse_split(text_of(json, "split"));
  const Json* arguments = json.find("arguments");
  if (!dtype || !split || !arguments || !arguments->as_object()) return std::string("this is not a planned program");
  out.type = text_of(json, "type");
  for (const auto& [name, value] : *arguments->as_object()) out.arguments[name] = value.number();
  out.dtype = *dtype;
  out.split = *split;
  out.name = text_of(json, "name");
  out.origin = text_of(json, "origin");
  const Json* spare = json.find("is_spare");
  out.is_spare = spare && spare->as_bool() && *spare->as_bool();
  out.seed = hex_number(json.find("seed"));
  out.form = hex_number(json.find("form"));
  out.pattern = hex_number(json.find("pattern"));
  for (const auto& [key, into] :
       {std::pair("number", &out.number), std::pair("index", &out.index), std::pair("entries", &out.entries)}) {
    const Json* value = json.find(key);
    if (!value || !value->as_integer()) return concat("'", key, "' is not a number");
    *into = static_cast<std::uint64_t>(*value->as_integer());
  }
  return out;
}

Result<MadeProgram, Diagnostic> make_program(const PlannedProgram& planned, const Configuration& configuration,
                                             const ImportPaths& imports) {
  switch (planned.kind) {
    case PlannedProgram::Kind::import: return import_program(planned.type, configuration, imports);
    case PlannedProgram::Kind::type: {
      auto made = zoo_program(planned.type, planned.arguments, planned.dtype);
      if (!made) return made.error();
      return MadeProgram{std::move(made->program), std::move(made->graph), true};
    }
    case PlannedProgram::Kind::composition: break;
  }
  auto drawn = zoo_draw(planned.seed, planned.index, composition_draws(configuration));
  if (!drawn) return make_error("dataset", concat("the composition ", planned.name, " cannot be drawn again"));
  return MadeProgram{std::move(drawn->program.program), std::move(drawn->program.graph), true};
}

zoo::DrawOptions composition_draws(const Configuration& configuration) {
  zoo::DrawOptions out;
  out.compositions_percent = 100;
  out.dtypes.clear();
  for (const std::string& name : configuration.dtypes) out.dtypes.push_back(*parse_dtype(name));
  out.most_bytes = static_cast<std::int64_t>(configuration.most_gib * (1 << 30));
  return out;
}

}  // namespace steptp::dataset
