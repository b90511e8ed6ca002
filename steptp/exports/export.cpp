#include "steptp/exports/export.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/hash.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/dataset/store.h"
#include "steptp/exports/card.h"
#include "steptp/exports/record_rows.h"
#include "steptp/exports/table_files.h"
#include "steptp/exports/tables.h"
#include "steptp/tokens/qwen3.h"

namespace steptp::dataset {

namespace {

using RowsByProgram = std::map<std::string, std::vector<SelectedRow>, std::less<>>;

Result<std::vector<std::string>, Diagnostic> wanted_configs(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (find_config(name) != nullptr) continue;
    return make_error(
        "usage", concat("there is no config '", name, "'"),
        concat("the configs are ", join(all_configs(), " ", [](const ExportConfig& config) { return config.name; })));
  }
  for (const ExportConfig& config : all_configs()) {
    if (names.empty() || std::find(names.begin(), names.end(), config.name) != names.end()) out.push_back(config.name);
  }
  return out;
}

/// Ranked by hash, so that the choice does not depend on the order of anything.
std::set<std::string, std::less<>> near_miss_entries(const std::vector<SelectedRow>& selection, std::uint64_t seed,
                                                     std::uint64_t number) {
  std::set<std::pair<Hash, std::string>> ranked;
  for (const SelectedRow& row : selection) {
    if (row.kind != SelectedRow::Kind::single || !row.is_filtered || row.is_deep) continue;
    ranked.emplace(combine(seed, hash_text(row.entries.front())), row.entries.front());
  }
  std::set<std::string, std::less<>> out;
  for (const auto& [rank, id] : ranked) {
    if (out.size() == number) break;
    out.insert(id);
  }
  return out;
}

RowOptions row_options(const ExportOptions& options, const std::vector<std::string>& configs,
                       const std::vector<SelectedRow>& selection) {
  RowOptions out;
  for (const std::string& name : configs) {
    for (const std::string& table : find_config(name)->tables) out.tables.insert(table);
  }
  out.max_tokens = options.max_tokens;
  out.near_miss.seed = options.seed;
  const auto wants = [&out](const char* table) { return out.tables.contains(std::string_view(table)); };
  if (wants("near_miss") || wants("dpo_trl") || wants("dpo_swift") || wants("kto_trl") || wants("stepwise")) {
    out.near_miss_entries = near_miss_entries(selection, options.seed, options.near_misses);
  }
  return out;
}

std::string first_word(const std::string& origin) { return origin.substr(0, origin.find('/')); }

/// Counts what the tables do not show by themselves.
class Counter {
 public:
  explicit Counter(Manifest& manifest) : manifest_(manifest) {}

  void add(const RecordRows& rows) {
    for (const auto& [table, count] : rows.too_long) {
      manifest_.rows_too_long[table] += count;
      too_long_[{table, rows.split}] += count;
    }
    manifest_.near_misses_tried += rows.near_misses_tried;
    manifest_.near_misses_found += rows.near_misses_found;
    for (const auto& [change, count] : rows.near_miss_changes) manifest_.near_miss_changes[change] += count;
  }

  void finish() {
    for (ExportedTable& table : manifest_.tables) {
      for (SplitFile& file : table.splits) file.too_long = too_long_[{table.name, file.split}];
    }
  }

 private:
  Manifest& manifest_;
  std::map<std::pair<std::string, Split>, std::uint64_t> too_long_;
};

/// What `data/` held before, of another export: a file that is no longer made must not stay beside the new ones.
std::optional<Diagnostic> remove_old_data(const std::string& folder) {
  std::error_code error;
  std::filesystem::remove_all(std::filesystem::path(folder) / "data", error);
  if (error) return make_error("write", concat("cannot remove '", folder, "/data': ", error.message()));
  std::filesystem::create_directories(folder, error);
  if (error) return make_error("write", concat("cannot create the folder '", folder, "': ", error.message()));
  return std::nullopt;
}

/// The build's own files lie in the same folder and are listed too.
std::optional<Diagnostic> add_store_checksums(const std::string& folder, Checksums& checksums) {
  std::set<std::string> names = {"build.json", "selection.jsonl", "compiled.jsonl"};
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(folder) / "raw", error)) {
    names.insert(concat("raw/", file.path().filename().string()));
  }
  for (const std::string& name : names) {
    auto sum = checksum_of(concat(folder, "/", name));
    if (!sum) return sum.error();
    checksums[name] = std::move(sum).value();
  }
  return std::nullopt;
}

struct Job {
  ProgramRecord record;
  std::span<const SelectedRow> selected;
};

}  // namespace

Result<Manifest, Diagnostic> export_dataset(const std::string& folder, const ExportOptions& options) {
  Manifest manifest;
  auto configs = wanted_configs(options.configs);
  if (!configs) return std::move(configs).error();
  manifest.configs = std::move(configs).value();
  manifest.max_tokens = options.max_tokens;
  const auto build = read_build(folder);
  if (!build) return build.error();
  const auto selection = read_selection(folder);
  if (!selection) return selection.error();
  const auto& tokenizer = qwen3_tokenizer();
  if (!tokenizer) return tokenizer.error();

  const std::string out = options.out.empty() ? folder : options.out;
  if (auto problem = remove_old_data(out)) return *std::move(problem);
  RowsByProgram by_program;
  for (const SelectedRow& row : *selection) by_program[row.program].push_back(row);
  const RowOptions rows = row_options(options, manifest.configs, *selection);
  const Json* planned = build->find("programs");
  const std::uint64_t total =
      planned == nullptr || planned->as_integer() == nullptr ? 0 : static_cast<std::uint64_t>(*planned->as_integer());

  TableFiles files(out);
  Counter counter(manifest);
  std::set<std::string> origins;
  std::optional<Diagnostic> failed;
  std::uint64_t done = 0;
  OrderedStream<Job, RecordRows> stream(
      options.jobs, std::size_t{8} * std::max(1U, options.jobs),
      [&](const Job& job) { return rows_of(job.record, job.selected, *tokenizer, rows); },
      [&](RecordRows&& made) {
        failed = std::move(made.problem);
        for (const TableRow& row : made.rows) {
          if (!failed) failed = files.add(*row.table, made.split, row.row);
        }
        counter.add(made);
        if (options.progress) options.progress(++done, total);
        return !failed;
      });
  auto problem = for_each_record(folder, [&](ProgramRecord&& record) {
    if (!record.entries.empty()) {
      ++manifest.programs;
      origins.insert(first_word(record.program.origin));
    }
    const auto found = by_program.find(record.program.id);
    const std::span<const SelectedRow> selected =
        found == by_program.end() ? std::span<const SelectedRow>() : std::span<const SelectedRow>(found->second);
    return stream.push({std::move(record), selected});
  });
  stream.finish();
  if (failed) return *std::move(failed);
  if (problem) return *std::move(problem);

  Checksums checksums;
  if (auto unwritten = files.finish(manifest, checksums)) return *std::move(unwritten);
  counter.finish();
  manifest.origins.assign(origins.begin(), origins.end());
  const Json* configuration = build->find("configuration");
  manifest.configuration = configuration == nullptr ? Json() : *configuration;
  if (out == folder) {
    if (auto unread = add_store_checksums(folder, checksums)) return *std::move(unread);
  }
  const std::string schema = json_schema(find_table("archive")->schema, "A row of the archive").dump() + "\n";
  for (const auto& [name, content] :
       {std::pair<const char*, std::string>{kManifestFile, to_json(manifest).dump() + "\n"},
        {kCardFile, card(manifest)},
        {kSchemaFile, schema}}) {
    if (auto unwritten = write_listed(out, name, content, checksums)) return *std::move(unwritten);
  }
  const auto listed = write_file(concat(out, "/", kChecksumsFile), to_text(checksums));
  if (!listed) return listed.error();
  return manifest;
}

}  // namespace steptp::dataset
