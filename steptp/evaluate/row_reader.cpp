#include "steptp/evaluate/row_reader.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "steptp/base/line_reader.h"
#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"

namespace steptp {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRows = ".jsonl.zst";

Diagnostic no_file(std::string message, std::string hint) {
  return make_error("prompts", std::move(message), std::move(hint));
}

/// A table of a dataset; without a split the first of these that it has.
Result<std::string, Diagnostic> table_file(const std::string& folder, const std::string& table,
                                           const std::string& split) {
  const std::string place = concat(folder, "/data/", table, "/");
  if (!split.empty()) {
    const std::string file = concat(place, split, kRows);
    if (fs::exists(file)) return file;
    return no_file(concat("there is no '", file, "'"),
                   "a dataset is named as FOLDER:TABLE:SPLIT, such as steps:rl:test_shape");
  }
  for (const char* one : {"test_shape", "test_type", "multi_step", "train"}) {
    const std::string file = concat(place, one, kRows);
    if (fs::exists(file)) return file;
  }
  return no_file(concat("'", folder, "' has no rows in data/", table),
                 "a folder of questions is an exported dataset; its config rl holds them");
}

}  // namespace

Result<std::string, Diagnostic> rows_file(const std::string& given) {
  if (given == "-") return given;
  if (fs::is_directory(given)) return table_file(given, "rl", "");
  if (given.ends_with(".parquet")) {
    const std::string beside = concat(given.substr(0, given.rfind('.')), kRows);
    if (fs::exists(beside)) return beside;
    return no_file(concat("'", given, "' is a Parquet file, and '", beside, "' is not there"),
                   "datasets have the same rows in both; name the .jsonl.zst file");
  }
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
  return no_file(concat("there is no '", given, "' here"),
                 concat("a dataset of the hub is downloaded first: huggingface-cli download ", given,
                        " --repo-type dataset --local-dir steps; then --prompts steps"));
}

struct RowReader::State {
  std::optional<LineReader> lines;
  std::optional<JsonlReader> rows;
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
  } else {
    auto lines = LineReader::open(path);
    if (!lines) return lines.error();
    state->lines.emplace(std::move(lines).value());
  }
  return RowReader(std::move(state));
}

Result<std::optional<std::string>, Diagnostic> RowReader::next() {
  return state_->rows ? state_->rows->next() : state_->lines->next();
}

Result<std::string, Diagnostic> RowReader::rest() {
  if (state_->lines) return state_->lines->rest();
  std::string out;
  while (true) {
    auto line = state_->rows->next();
    if (!line) return line.error();
    if (!line->has_value()) return out;
    append(out, **line, "\n");
  }
}

}  // namespace steptp
