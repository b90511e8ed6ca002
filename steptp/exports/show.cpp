#include "steptp/exports/show.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"

namespace steptp::dataset {

namespace {

constexpr std::string_view kEnding = ".jsonl.zst";

bool has_rows(const std::string& path) {
  auto reader = JsonlReader::open(path);
  if (!reader) return false;
  const auto line = reader->next();
  return line && line->has_value();
}

/// The split that is meant where none is named.
Result<std::string, Diagnostic> only_split(const std::string& folder) {
  constexpr const char* kFirst = "train";
  std::vector<std::string> found;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kEnding) && has_rows(entry.path().string())) {
      found.push_back(name.substr(0, name.size() - kEnding.size()));
    }
  }
  std::sort(found.begin(), found.end());
  // Of a table without rows the first split is asked for, which says so.
  if (found.empty() || std::find(found.begin(), found.end(), kFirst) != found.end()) return std::string(kFirst);
  if (found.size() == 1) return found[0];
  const std::string names = join(found, ", ", [](const std::string& name) { return name; });
  return make_error("usage", concat("train has no rows here, and several other splits do: ", names),
                    "--split names one of them");
}

/// A column with one word, or with one for each answer.
bool has_word(const Json& row, const char* one, const char* several, const std::string& word) {
  if (word.empty()) return true;
  const Json* value = row.find(one);
  if (value && value->as_string() && *value->as_string() == word) return true;
  const Json* list = row.find(several);
  if (!list || !list->as_array()) return false;
  return std::any_of(list->as_array()->begin(), list->as_array()->end(),
                     [&](const Json& item) { return item.as_string() && *item.as_string() == word; });
}

double number_at(const Json& row, const char* column) {
  const Json* value = row.find(column);
  return value && value->is_number() ? value->number() : 0;
}

bool is_wanted(const std::string& line, const WantedRow& wanted) {
  const auto row = parse_json(line);
  if (!row || !has_word(*row, "strategy", "strategies", wanted.strategy) ||
      !has_word(*row, "difficulty", "difficulties", wanted.difficulty)) {
    return false;
  }
  const double tokens = number_at(*row, "prompt_tokens") + number_at(*row, "completion_tokens");
  const bool is_short = wanted.most_tokens == 0 || tokens <= static_cast<double>(wanted.most_tokens);
  return is_short && number_at(*row, "usefulness") >= wanted.least_usefulness;
}

}  // namespace

Result<std::string, Diagnostic> read_row(const std::string& folder, const std::string& table, const std::string& split,
                                         std::uint64_t number, const WantedRow& wanted) {
  const std::string place = concat(folder, "/data/", table);
  const auto chosen = split.empty() ? only_split(place) : Result<std::string, Diagnostic>(split);
  if (!chosen) return chosen.error();
  const std::string path = concat(place, "/", *chosen, kEnding);
  auto reader = JsonlReader::open(path);
  if (!reader) {
    std::error_code failure;
    if (!std::filesystem::is_directory(folder + "/data", failure)) {
      return make_error("file", concat("there is no dataset in '", folder, "': it has no folder data"),
                        "steptp dataset build makes one");
    }
    Diagnostic reason = reader.error();
    reason.hint = "tables are the folders below data/ of an export, such as archive or chat/full/single";
    return reason;
  }
  const bool wants_all = wanted.is_any();
  for (std::uint64_t passed = 0;;) {
    auto line = reader->next();
    if (!line) return line.error();
    if (!*line) {
      return make_error("usage", concat(path, " has ", passed, wants_all ? "" : " such", " rows, counted from 0"));
    }
    if (!wants_all && !is_wanted(**line, wanted)) continue;
    if (passed++ == number) return **std::move(line);
  }
}

}  // namespace steptp::dataset
