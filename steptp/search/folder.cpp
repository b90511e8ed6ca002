#include "steptp/search/folder.h"

#include <filesystem>
#include <sstream>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/text.h"

namespace steptp::search {

namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kMicroseconds[] = {"vanilla", "eager", "compile", "eager_graph", "compile_graph", "vendor"};

std::string file_of(const std::string& folder) { return folder + "/search.json"; }

Json programs_json(const SearchFolder& folder) {
  Json::Array out;
  for (const SearchProgram& program : folder.programs) {
    Json entry;
    entry.set("id", program.context.id).set("baseline", program.context.baseline);
    out.push_back(entry.set("program", steptp::to_json(program.root.program, Profile::paper)));
  }
  return out;
}

Json to_json(const SearchFolder& folder) {
  Json out;
  return out.set("version", kVersion).set("settings", to_json(folder.settings)).set("programs", programs_json(folder));
}

Diagnostic damaged(const std::string& path, std::string_view what) {
  return make_error("journal", concat(file_of(path), ": ", what), "restore the file, or begin with another --journal");
}

std::string text_at(const Json& json, std::string_view key) {
  const Json* value = json.find(key);
  if (value && value->as_integer()) return concat(*value->as_integer());
  return value && value->as_string() ? *value->as_string() : std::string();
}

}  // namespace

std::string SearchFolder::journal_of(std::size_t program) const {
  if (path.empty()) return {};
  std::string number = concat(program + 1);
  number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
  return concat(path, "/", number, ".jsonl");
}

Result<bool, Diagnostic> begin_folder(const SearchFolder& folder) {
  if (folder.path.empty()) return true;
  std::error_code error;
  std::filesystem::create_directories(folder.path, error);
  if (error) return make_error("write", concat("cannot make the folder ", folder.path, ": ", error.message()));
  if (!std::filesystem::exists(file_of(folder.path)))
    return write_file(file_of(folder.path), to_json(folder).dump() + "\n");
  auto there = read_folder(folder.path);
  if (!there) return there.error();
  const bool is_same = identity_of(there->settings).dump() == identity_of(folder.settings).dump() &&
                       programs_json(*there).dump() == programs_json(folder).dump();
  // Another budget is no other search; what is looked at later is what was asked for last.
  if (is_same) return write_file(file_of(folder.path), to_json(folder).dump() + "\n");
  return make_error("journal", concat(folder.path, " is the folder of another search"),
                    concat("give --journal another name, or go on with that one: steptp search resume ", folder.path));
}

Result<SearchFolder, Diagnostic> read_folder(const std::string& path) {
  const auto content = read_file(file_of(path));
  if (!content) {
    return make_error("journal", concat(path, " is not the folder of a search: ", content.error().message),
                      "steptp search FILE --journal DIR makes one");
  }
  const auto json = parse_json(*content);
  if (!json) return damaged(path, json.error().message);
  const Json* version = json->find("version");
  if (!version || !version->as_integer() || *version->as_integer() != kVersion)
    return damaged(path, concat("this program reads version ", kVersion));
  const Json* settings = json->find("settings");
  const Json* programs = json->find("programs");
  if (!settings || !programs || !programs->as_array()) return damaged(path, "\"settings\" or \"programs\" is missing");
  auto read = settings_from_json(*settings);
  if (!read) return damaged(path, read.error());
  SearchFolder out{path, std::move(read).value(), {}};
  for (const Json& entry : *programs->as_array()) {
    const Json* program = entry.find("program");
    Document root = read_document(concat(path, ":", out.programs.size() + 1), program ? program->dump() : "");
    if (!root.ok) return damaged(path, concat("program ", out.programs.size() + 1, " cannot be read"));
    const Json* baseline = entry.find("baseline");
    out.programs.push_back({std::move(root), {text_at(entry, "id"), baseline ? *baseline : Json()}});
  }
  return out;
}

Result<SearchedProgram, Diagnostic> search_in(const SearchFolder& folder, std::size_t program,
                                              const SearchMachinery& machinery, Journal::Mode mode) {
  const SearchProgram& one = folder.programs[program];
  SearchMachinery own = machinery;
  if (const Json* vanilla = one.context.baseline.find("vanilla"); vanilla && vanilla->is_number())
    own.root_seconds = vanilla->number();
  auto result = search_program(one.root, folder.settings, own, folder.journal_of(program), mode);
  if (!result) return result.error();
  SearchedProgram out{std::move(result).value(), {}};
  out.row = row_of(one.root, folder.settings, out.result, one.context);
  return out;
}

Result<std::vector<Json>, Diagnostic> read_baselines(const std::string& path) {
  const auto content = read_file(path);
  if (!content) return content.error();
  std::vector<Json> out;
  std::istringstream lines(*content);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    auto row = parse_json(line);
    if (!row || !row->as_object())
      return make_error("file", concat(path, ":", number, ": this is no JSON object"), "a baseline has one per line");
    out.push_back(std::move(row).value());
  }
  return out;
}

RowContext context_of(const Document& root, const std::string& id, const std::vector<Json>& baselines) {
  RowContext out{id, {}};
  for (const Json& row : baselines) {
    const bool is_it = id.empty()
                           ? text_at(row, "zoo") == root.program.name || text_at(row, "program") == root.program.name
                           : text_at(row, "id") == id;
    if (!is_it) continue;
    for (const std::string_view column : kMicroseconds) {
      const Json* value = row.find(concat(column, "_us"));
      if (value && value->is_number() && value->number() > 0) out.baseline.set(column, value->number() * 1e-6);
    }
    break;
  }
  return out;
}

}  // namespace steptp::search
