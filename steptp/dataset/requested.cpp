#include "steptp/dataset/requested.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"

namespace steptp::dataset {

namespace {

namespace fs = std::filesystem;

Diagnostic usage(std::string message) { return make_error("usage", std::move(message)); }

/// What a file of settings says; the build.json of a dataset has them under a key.
Result<Configuration, Diagnostic> read_configuration(const std::string& text) {
  const auto json = parse_json(text);
  if (!json) return make_error("configuration", concat("the settings are no JSON: ", json.error().message));
  const Json* inside = json->find("configuration");
  return configuration_from_json(inside ? *inside : *json);
}

/// A folder stands for the archives in it.
Result<std::vector<fs::path>, Diagnostic> archives_at(const std::string& place) {
  std::error_code error;
  std::vector<fs::path> out;
  if (!fs::is_directory(place, error)) {
    if (!fs::exists(place, error)) return make_error("file", concat("there is no '", place, "'"));
    if (fs::path(place).extension() != ".pt2") return usage(concat("'", place, "' is no .pt2 file and no folder"));
    out.emplace_back(place);
    return out;
  }
  for (const auto& file : fs::directory_iterator(place, error)) {
    if (file.path().extension() == ".pt2") out.push_back(file.path());
  }
  if (error) return make_error("file", concat("cannot read '", place, "': ", error.message()));
  if (out.empty()) return usage(concat("there is no .pt2 file in '", place, "'"));
  return out;
}

}  // namespace

Result<Configuration, Diagnostic> configuration_of(const RequestedDataset& requested) {
  Configuration out;
  if (!requested.config.empty()) {
    auto read = read_configuration(requested.config);
    if (!read) return read.error();
    out = std::move(read).value();
  }
  const auto programs = requested.settings.find("programs");
  if (requested.config.empty() && programs != requested.settings.end()) {
    Configuration scaled;
    if (set_from_text(scaled, "programs", programs->second).empty()) scale_to_programs(out, scaled.programs);
  }
  for (const auto& [key, text] : requested.settings) {
    const std::string problem = set_from_text(out, key, text);
    if (!problem.empty()) return usage(problem);
  }
  if (!requested.imports.empty()) {
    out.imports.clear();
    out.import_sums.clear();
  }
  for (const auto& [name, path] : requested.imports) {
    const auto content = read_file(path);
    if (!content) return content.error();
    out.imports.push_back(name);
    out.import_sums.push_back(sha256_hex(*content));
  }
  const std::string problem = problem_of(out);
  if (!problem.empty()) return usage(problem);
  return out;
}

Result<ImportPaths, Diagnostic> find_imports(const std::vector<std::string>& places) {
  ImportPaths out;
  for (const std::string& place : places) {
    const auto files = archives_at(place);
    if (!files) return files.error();
    for (const fs::path& file : *files) {
      const std::string name = file.filename().string();
      if (!out.emplace(name, file.string()).second) return usage(concat("two files to take in are called ", name));
    }
  }
  return out;
}

}  // namespace steptp::dataset
