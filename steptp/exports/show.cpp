#include "steptp/exports/show.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

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

}  // namespace

Result<std::string, Diagnostic> read_row(const std::string& folder, const std::string& table, const std::string& split,
                                         std::uint64_t number) {
  const std::string place = concat(folder, "/data/", table);
  const auto chosen = split.empty() ? only_split(place) : Result<std::string, Diagnostic>(split);
  if (!chosen) return chosen.error();
  const std::string path = concat(place, "/", *chosen, kEnding);
  auto reader = JsonlReader::open(path);
  if (!reader) {
    Diagnostic reason = reader.error();
    reason.hint = "tables are the folders below data/ of an export, such as archive or chat/full/single";
    return reason;
  }
  for (std::uint64_t passed = 0;; ++passed) {
    auto line = reader->next();
    if (!line) return line.error();
    if (!*line) return make_error("usage", concat(path, " has ", passed, " rows, counted from 0"));
    if (passed == number) return **std::move(line);
  }
}

}  // namespace steptp::dataset
