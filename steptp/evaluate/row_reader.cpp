#include "steptp/evaluate/row_reader.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/line_reader.h"
#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"
#include "steptp/columns/parquet_rows.h"

namespace steptp {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRows = ".jsonl.zst";
constexpr std::string_view kParquet = ".parquet";

Diagnostic no_file(std::string message, std::string hint) {
  return make_error("prompts", std::move(message), std::move(hint));
}

/// A table of a dataset; without a split the first of these that it has.
Result<std::string, Diagnostic> table_file(const std::string& folder, const std::string& table,
                                           const std::string& split) {
  const std::string place = concat(folder, "/data/", table, "/");
  // The hub may have left out the one or the other.
  const auto found = [&place](const std::string& one) {
    for (const std::string_view ending : {kRows, kParquet}) {
      if (std::string file = concat(place, one, ending); fs::exists(file)) return file;
    }
    return std::string();
  };
  if (!split.empty()) {
    if (std::string file = found(split); !file.empty()) return file;
    return no_file(concat("there is no '", place, split, kRows, "'"),
                   "a dataset is named as FOLDER:TABLE:SPLIT, such as steps:rl:test_shape");
  }
  for (const char* one : {"test_shape", "test_type", "multi_step", "train"}) {
    if (std::string file = found(one); !file.empty()) return file;
  }
  return no_file(concat("'", folder, "' has no rows in data/", table),
                 "a folder of questions is an exported dataset; its config rl holds them");
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// Where the hub's tools keep datasets that they have downloaded.
std::string hub_cache() {
  if (std::string folder = variable("HF_HUB_CACHE"); !folder.empty()) return folder;
  if (const std::string home = variable("HF_HOME"); !home.empty()) return home + "/hub";
  return variable("HOME") + "/.cache/huggingface/hub";
}

/// The folder of a dataset of the hub, ORGANISATION/NAME, in the state that was downloaded; empty where it was not.
std::string downloaded(const std::string& name) {
  std::string folder = name;
  folder.replace(folder.find('/'), 1, "--");
  const std::string place = concat(hub_cache(), "/datasets--", folder);
  auto commit = read_file(concat(place, "/refs/main"));
  if (!commit) return {};
  while (!commit->empty() && commit->back() == '\n') commit->pop_back();
  std::string snapshot = concat(place, "/snapshots/", *commit);
  return fs::is_directory(snapshot) ? snapshot : "";
}

}  // namespace

Result<std::string, Diagnostic> rows_file(const std::string& given) {
  if (given == "-") return given;
  if (fs::is_directory(given)) return table_file(given, "rl", "");
  if (fs::exists(given)) return given;
  const std::size_t colon = given.find(':');
  if (colon != given.npos && fs::is_directory(given.substr(0, colon))) {
    const std::string rest = given.substr(colon + 1);
    const std::size_t second = rest.find(':');
    return table_file(given.substr(0, colon), rest.substr(0, second),
                      second == rest.npos ? "" : rest.substr(second + 1));
  }
  const bool is_name = std::count(given.begin(), given.end(), '/') == 1 && given.find('.') == given.npos;
  if (!is_name) return given;
  if (const std::string folder = downloaded(given); !folder.empty()) return table_file(folder, "rl", "");
  return no_file(
      concat("there is no '", given, "' here, nor in the cache of the hub"),
      concat("a dataset of the hub is downloaded first: huggingface-cli download ", given, " --repo-type dataset"));
}

struct RowReader::State {
  std::optional<LineReader> lines;
  std::optional<JsonlReader> rows;
  std::optional<ParquetRows> table;
};

RowReader::RowReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RowReader::RowReader(RowReader&&) noexcept = default;
RowReader::~RowReader() = default;

Result<RowReader, Diagnostic> RowReader::open(const std::string& path) {
  auto state = std::make_unique<State>();
  if (path.ends_with(".zst")) {
    auto rows = JsonlReader::open(path);
    if (!rows) return rows.error();
    state->rows.emplace(std::move(rows).value());
  } else if (path.ends_with(kParquet)) {
    auto table = ParquetRows::open(path);
    if (!table) return table.error();
    state->table.emplace(std::move(table).value());
  } else {
    auto lines = LineReader::open(path);
    if (!lines) return lines.error();
    state->lines.emplace(std::move(lines).value());
  }
  return RowReader(std::move(state));
}

Result<std::optional<std::string>, Diagnostic> RowReader::next() {
  if (state_->rows) return state_->rows->next();
  if (state_->lines) return state_->lines->next();
  auto row = state_->table->next();
  if (!row) return row.error();
  return row->has_value() ? std::optional((*row)->dump()) : std::nullopt;
}

Result<std::string, Diagnostic> RowReader::rest() {
  if (state_->lines) return state_->lines->rest();
  std::string out;
  while (true) {
    auto line = next();
    if (!line) return line.error();
    if (!line->has_value()) return out;
    append(out, **line, "\n");
  }
}

}  // namespace steptp
