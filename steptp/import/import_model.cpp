#include "steptp/import/import_model.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/base/text.h"
#include "steptp/frontend/lower.h"
#include "steptp/graph/operator.h"
#include "steptp/import/capture_script.h"
#include "steptp/import/pt2.h"
#include "steptp/import/pt2_composite.h"
#include "steptp/import/pt2_node.h"
#include "steptp/import/pt2_spelling.h"

namespace steptp {

namespace {

using Kind = ImportFailure::Kind;

ImportFailure failure(Kind kind, Diagnostic diagnostic) { return {kind, {std::move(diagnostic)}}; }

/// What can be had with another operator or another option is refused; everything else is wrong with the input.
Kind kind_of(const Diagnostics& diagnostics) {
  const auto refused = [](const Diagnostic& diagnostic) {
    return diagnostic.id == "graph-operator" || diagnostic.id == "pt2-random" || diagnostic.id == "pt2-in-place" ||
           diagnostic.id == "pt2-dtype";
  };
  return std::all_of(diagnostics.begin(), diagnostics.end(), refused) ? Kind::refused : Kind::file;
}

std::string program_name(const std::string& file) { return std::filesystem::path(file).stem().string(); }

/// The reason that the capture script gives, or what can be said where it gives none.
ImportFailure capture_failure(const ImportRequest& request, const ProcessResult& done, const std::string& report) {
  if (done.timed_out) {
    return failure(Kind::time, make_error("capture-time",
                                          concat("capturing ", request.file, " takes more than ",
                                                 static_cast<std::int64_t>(request.seconds), " s"),
                                          "does the model end? --timeout gives it more time"));
  }
  const auto json = parse_json(report);
  const Json* error = json.ok() ? json->find("error") : nullptr;
  const auto text = [&](std::string_view key) {
    const Json* found = error ? error->find(key) : nullptr;
    return found && found->as_string() ? *found->as_string() : std::string();
  };
  if (!error) {
    const std::string end = done.output.substr(done.output.size() - std::min<std::size_t>(done.output.size(), 2000));
    return failure(done.status > 128 ? Kind::machine : Kind::file,
                   make_error("capture", concat("capturing ", request.file, " ended with status ", done.status,
                                                end.empty() ? "" : ":\n", end)));
  }
  const std::string kind = text("kind");
  const std::string place = text("place");
  Diagnostic diagnostic =
      make_error(concat("capture-", kind), place.empty() ? text("message") : concat(text("message"), " (", place, ")"),
                 text("hint"));
  return failure(kind == "no-torch" ? Kind::machine : Kind::file, std::move(diagnostic));
}

Result<std::string, ImportFailure> capture(const ImportRequest& request) {
  if (auto readable = read_file(request.file); !readable) return failure(Kind::file, readable.error());
  const auto folder = TemporaryFolder::make();
  if (!folder) return failure(Kind::machine, folder.error());
  const std::string script = folder->file("steptp_capture.py");
  const std::string operators = folder->file("operators.txt");
  const std::string archive = folder->file("capture.zip");
  const std::string report = folder->file("report.json");
  for (const auto& written : {write_file(script, capture_script()), write_file(operators, kept_operators())}) {
    if (!written) return failure(Kind::machine, written.error());
  }
  const bool training = request.training.value_or(true);
  const auto done = run_process({request.python, script, request.file, "--out", archive, "--report", report,
                                 "--operators", operators, "--mode", training ? "train" : "eval"},
                                request.seconds);
  if (!done) {
    Diagnostic diagnostic = done.error();
    diagnostic.hint = "a .py file is captured with your own Python and PyTorch: name it with --python";
    return failure(Kind::machine, std::move(diagnostic));
  }
  auto content =
      done->status == 0 && !done->timed_out ? read_file(archive) : Result<std::string, Diagnostic>(std::string());
  if (!content) return failure(Kind::machine, content.error());
  if (content->empty())
    return capture_failure(request, *done, read_file(report).ok() ? *read_file(report) : std::string());
  return *std::move(content);
}

Json names_of(const graph::Graph& graph, const Program& program, const std::map<std::string, std::string>& paths) {
  Json inputs{Json::Object()};
  Json parameters{Json::Object()};
  Json constants{Json::Object()};
  Json outputs{Json::Array()};
  std::vector<std::string> placeholders;
  for (const graph::Node& node : graph.nodes) {
    if (node.kind == graph::NodeKind::input) placeholders.push_back(node.name);
  }
  std::size_t next = 0;
  for (const Variable& variable : program.signature.variables) {
    const auto path = paths.find(variable.name);
    const std::string from = path == paths.end() ? std::string() : path->second;
    switch (variable.role) {
      case Role::input:
        if (next == placeholders.size()) throw std::logic_error("a program has more inputs than its graph");
        inputs.set(variable.name, placeholders[next++]);
        break;
      case Role::param: parameters.set(variable.name, from); break;
      case Role::constant: constants.set(variable.name, from); break;
      case Role::output: outputs.push(variable.name); break;
    }
  }
  Json out;
  return out.set("inputs", std::move(inputs))
      .set("parameters", std::move(parameters))
      .set("constants", std::move(constants))
      .set("outputs", std::move(outputs));
}

}  // namespace

std::string kept_operators() {
  std::string out;
  for (const graph::Operator& op : graph::all_operators()) append(out, op.schema.name, '\n');
  for (const std::string_view stem : graph::pt2::known_stems()) append(out, "aten.", stem, ".*\n");
  for (const std::string_view op : graph::pt2::composite_operators()) append(out, "aten.", op, '\n');
  for (const graph::pt2::Spelling& spelling : graph::pt2::other_spellings()) append(out, spelling.other, '\n');
  return out;
}

Result<ImportedModel, ImportFailure> import_archive(std::string_view content, const std::string& name,
                                                    std::optional<bool> training) {
  auto imported = graph::read_pt2(content, {name, training});
  if (!imported) {
    const Kind kind = kind_of(imported.error());
    return ImportFailure{kind, std::move(imported).error()};
  }
  auto lowered = frontend::lower(imported->graph);
  if (!lowered) return failure(Kind::refused, lowered.error());
  ImportedModel out;
  std::map<std::string, std::string> paths;
  for (const frontend::Origin& origin : lowered->origins) {
    paths[origin.name] = origin.path;
    const auto stored = imported->values.find(origin.path);
    if (stored == imported->values.end()) continue;
    out.arrays[origin.name] = {stored->second.type.dtype, stored->second.type.shape, stored->second.data};
  }
  out.names = names_of(imported->graph, lowered->program, paths);
  out.program = std::move(lowered->program);
  out.notes = std::move(imported->notes);
  return out;
}

Result<ImportedModel, ImportFailure> import_model(const ImportRequest& request) {
  const std::string name = program_name(request.file);
  if (!request.file.ends_with(".py")) {
    auto content = read_file(request.file);
    if (!content) return failure(Kind::file, content.error());
    return import_archive(*content, name, request.training);
  }
  auto archive = capture(request);
  if (!archive) return std::move(archive).error();
  return import_archive(*archive, name, {});
}

}  // namespace steptp
