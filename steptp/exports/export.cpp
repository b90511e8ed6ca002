#include "steptp/exports/export.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/hash.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/dataset/build_log.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/held_folder.h"
#include "steptp/dataset/make_entries.h"
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

/// Likewise of the programs that have rows.
std::set<std::string, std::less<>> trajectory_programs(const std::vector<SelectedRow>& selection, std::uint64_t seed,
                                                       std::uint64_t number) {
  constexpr std::uint64_t kOneOf = 4;
  std::set<std::pair<Hash, std::string>> ranked;
  for (const SelectedRow& row : selection) ranked.emplace(combine(seed, hash_text(row.program)), row.program);
  std::set<std::string, std::less<>> out;
  for (const auto& [rank, id] : ranked) {
    if (out.size() == std::min<std::uint64_t>(number, (ranked.size() + kOneOf - 1) / kOneOf)) break;
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
  out.only_useful = options.only_useful;
  out.near_miss.seed = options.seed;
  const auto wants = [&out](const char* table) { return out.tables.contains(std::string_view(table)); };
  if (wants("near_miss") || wants("dpo_trl") || wants("dpo_swift") || wants("kto_trl")) {
    out.near_miss_entries = near_miss_entries(selection, options.seed, options.near_misses);
  }
  if (wants("stepwise")) out.trajectory_programs = trajectory_programs(selection, options.seed, options.trajectories);
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

/// A folder with files of somebody else's: `data` would be removed, and the rest would lie among the new files. An
/// export that was stopped has left tables and no manifest.
std::optional<Diagnostic> refuse_foreign(const std::string& folder) {
  namespace fs = std::filesystem;
  const bool has_manifest = fs::exists(fs::path(folder) / kManifestFile);
  std::set<std::string, std::less<>> own = {"data"};
  if (has_manifest) own.insert({kManifestFile, kCardFile, kSchemaFile, kChecksumsFile});
  std::set<std::string, std::less<>> tables;
  for (const ExportConfig& config : all_configs()) {
    for (const std::string& table : config.tables) tables.insert(first_word(table));
  }
  const auto check = [&](const fs::path& in, const auto& names) -> std::optional<Diagnostic> {
    std::error_code error;
    for (const auto& file : fs::directory_iterator(in, error)) {
      const std::string name = file.path().filename().string();
      if (names.contains(name) || name.starts_with(".git") || name.find(".tmp") != name.npos) continue;
      return make_error("dataset",
                        concat("'", in.string(), "' is not empty and holds no export: there is '", name, "'"),
                        "name a folder that is new or empty");
    }
    return std::nullopt;
  };
  if (auto foreign = check(folder, own)) return foreign;
  return check(fs::path(folder) / "data", tables);
}

/// What another export has left: a file that is no longer made must not stay beside the new ones. The list of checksums
/// goes first and comes back last, so that a folder with one holds a whole export.
std::optional<Diagnostic> remove_old_export(const std::string& folder) {
  std::error_code error;
  for (const char* name : {kChecksumsFile, "data"}) {
    std::filesystem::remove_all(std::filesystem::path(folder) / name, error);
    if (error) return make_error("write", concat("cannot remove '", folder, "/", name, "': ", error.message()));
  }
  return std::nullopt;
}

constexpr std::array<const char*, 3> kStoreFiles = {"build.json", "selection.jsonl", "compiled.jsonl"};

/// The build's own files lie in the same folder and are listed too.
std::optional<Diagnostic> add_store_checksums(const std::string& folder, Checksums& checksums) {
  std::set<std::string> names(kStoreFiles.begin(), kStoreFiles.end());
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

/// All that rows are made of and with, besides the records.
struct ExportInput {
  Json build;
  std::vector<SelectedRow> selection;
  const Tokenizer* tokenizer = nullptr;

  [[nodiscard]] std::uint64_t programs() const {
    const Json* planned = build.find("programs");
    const bool is_count = planned != nullptr && planned->as_integer() != nullptr && *planned->as_integer() > 0;
    return is_count ? static_cast<std::uint64_t>(*planned->as_integer()) : 0;
  }
};

Result<ExportInput, Diagnostic> read_input(const std::string& folder) {
  auto build = read_build(folder);
  if (!build) return build.error();
  if (build->find("summary") != nullptr) {
    if (auto changed = check_sums(folder, *build)) return *std::move(changed);
  }
  auto selection = read_selection(folder);
  if (!selection) return selection.error();
  const auto& tokenizer = qwen3_tokenizer();
  if (!tokenizer) return tokenizer.error();
  return ExportInput{std::move(build).value(), std::move(selection).value(), &*tokenizer};
}

struct Job {
  ProgramRecord record;
  std::span<const SelectedRow> selected;
};

/// Every record becomes rows, on many threads; the rows go into their tables in the order of the records.
class TableMaker {
 public:
  TableMaker(const ExportInput& input, const ExportOptions& options, std::string out, Manifest& manifest)
      : input_(input),
        options_(options),
        manifest_(manifest),
        rows_(row_options(options, manifest.configs, input.selection)),
        files_(std::move(out)),
        counter_(manifest) {
    for (const SelectedRow& row : input.selection) by_program_[row.program].push_back(row);
  }

  /// False where it was stopped.
  [[nodiscard]] Result<bool, Diagnostic> run(const std::string& folder) {
    OrderedStream<Job, RecordRows> stream(
        options_.jobs, std::size_t{8} * std::max(1U, options_.jobs),
        [this](const Job& job) { return rows_of(job.record, job.selected, *input_.tokenizer, rows_); },
        [this](RecordRows&& made) { return take(std::move(made)); });
    bool is_stopped = false;
    auto problem = for_each_record(folder, [&](ProgramRecord&& record) {
      is_stopped = options_.go_on && !options_.go_on();
      return !is_stopped && stream.push(job_of(std::move(record)));
    });
    stream.finish();
    if (failed_) return *std::move(failed_);
    if (problem) return *std::move(problem);
    return !is_stopped;
  }

  [[nodiscard]] std::optional<Diagnostic> finish(Checksums& checksums) {
    if (auto unwritten = files_.finish(manifest_, checksums)) return unwritten;
    counter_.finish();
    manifest_.origins.assign(origins_.begin(), origins_.end());
    return std::nullopt;
  }

 private:
  [[nodiscard]] Job job_of(ProgramRecord&& record) {
    if (!record.entries.empty() || !record.unsafe_entries.empty()) {
      ++manifest_.programs;
      origins_.insert(first_word(record.program.origin));
    }
    for (const Entry& entry : record.unsafe_entries) ++manifest_.strategies[entry.strategy].unsafe;
    for (const Entry& entry : record.entries) {
      ++manifest_.strategies[entry.strategy].safe;
      for (const std::string& compiler : entry.compilers) ++manifest_.compiled[compiler];
    }
    const auto found = by_program_.find(record.program.id);
    if (found == by_program_.end()) return {std::move(record), {}};
    return {std::move(record), found->second};
  }

  [[nodiscard]] bool take(RecordRows&& made) {
    failed_ = std::move(made.problem);
    for (const TableRow& row : made.rows) {
      if (!failed_) failed_ = files_.add(*row.table, made.split, row.row);
    }
    counter_.add(made);
    if (options_.progress) options_.progress(++done_, input_.programs());
    return !failed_;
  }

  const ExportInput& input_;
  const ExportOptions& options_;
  Manifest& manifest_;
  RowOptions rows_;
  RowsByProgram by_program_;
  TableFiles files_;
  Counter counter_;
  std::set<std::string> origins_;
  std::optional<Diagnostic> failed_;
  std::uint64_t done_ = 0;
};

/// Manifest, card, schema; the checksums of everything last.
std::optional<Diagnostic> write_lists(const std::string& out, const Manifest& manifest, Checksums& checksums) {
  const std::string schema = json_schema(find_table("archive")->schema, "A row of the archive").dump() + "\n";
  for (const auto& [name, content] :
       {std::pair<const char*, std::string>{kManifestFile, to_json(manifest).dump() + "\n"},
        {kCardFile, card(manifest)},
        {kSchemaFile, schema}}) {
    if (auto unwritten = write_listed(out, name, content, checksums)) return unwritten;
  }
  const auto listed = write_file(concat(out, "/", kChecksumsFile), to_text(checksums));
  return listed ? std::nullopt : std::optional(listed.error());
}

/// The manifest of the whole export that lies in the folder of a build and was made of it as it is now; nothing where
/// there is none, or where one of its files is damaged: then it is made again. A damaged file of the build itself
/// cannot be made again from the others.
Result<std::optional<Manifest>, Diagnostic> finished_export(const std::string& folder) {
  using None = std::optional<Manifest>;
  const auto checksums = read_checksums(concat(folder, "/", kChecksumsFile));
  const auto text = read_file(concat(folder, "/", kManifestFile));
  if (!checksums || !text) return None();
  for (const char* name : kStoreFiles) {
    if (!checksums->contains(name)) return None();
  }
  bool is_whole = true;
  for (const auto& [name, listed] : *checksums) {
    const auto sum = checksum_of(concat(folder, "/", name));
    if (sum && *sum == listed) continue;
    is_whole = false;
    if (!name.starts_with("raw/")) continue;
    return make_error("dataset",
                      concat("'", folder, "/", name, "' is not what its checksum says: it is damaged or gone"),
                      "remove that file and run the same build again, which makes it anew");
  }
  if (!is_whole) return None();
  const auto json = parse_json(*text);
  auto manifest = json ? manifest_from_json(*json) : Result<Manifest, std::string>(json.error().message);
  return manifest ? std::optional(std::move(manifest).value()) : std::nullopt;
}

}  // namespace

Result<std::optional<Manifest>, Diagnostic> export_dataset(const std::string& folder, const ExportOptions& options) {
  using Stopped = std::optional<Manifest>;
  Manifest manifest;
  auto configs = wanted_configs(options.configs);
  if (!configs) return std::move(configs).error();
  manifest.configs = std::move(configs).value();
  manifest.max_tokens = options.max_tokens;
  manifest.only_useful = options.only_useful;
  const auto input = read_input(folder);
  if (!input) return input.error();
  const Json* stated = input->build.find("configuration");
  if (stated != nullptr) manifest.configuration = *stated;
  const auto configuration = configuration_from_json(manifest.configuration);
  if (!configuration) return configuration.error();
  for (const Strategy* strategy : wanted_strategies(*configuration)) manifest.strategies[std::string(strategy->name)];

  const std::string out = options.out.empty() ? folder : options.out;
  if (out != folder) {
    if (auto problem = refuse_foreign(out)) return *std::move(problem);
  }
  const auto held = HeldFolder::open(out);
  if (!held) return held.error();
  if (auto problem = remove_old_export(out)) return *std::move(problem);
  TableMaker maker(*input, options, out, manifest);
  const auto is_whole = maker.run(folder);
  if (!is_whole) return is_whole.error();
  if (!*is_whole) return Stopped();
  Checksums checksums;
  if (auto unwritten = maker.finish(checksums)) return *std::move(unwritten);
  if (out == folder) {
    if (auto unread = add_store_checksums(folder, checksums)) return *std::move(unread);
  }
  if (auto unwritten = write_lists(out, manifest, checksums)) return *std::move(unwritten);
  return Stopped(std::move(manifest));
}

Result<std::optional<Manifest>, Diagnostic> export_where_missing(const std::string& folder,
                                                                 const ExportOptions& options) {
  auto finished = finished_export(folder);
  if (!finished || *finished) return finished;
  BuildLog log(folder);
  log.write("making training files");
  auto exported = export_dataset(folder, options);
  log.write(!exported ? concat("stopped: ", exported.error().message) : *exported ? "exported" : "stopped");
  return exported;
}

}  // namespace steptp::dataset
