#include "testing/small_dataset.h"

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/finish.h"
#include "steptp/dataset/make_entries.h"
#include "steptp/dataset/plan.h"
#include "steptp/dataset/select.h"
#include "steptp/dataset/store.h"
#include "steptp/exports/card.h"
#include "steptp/exports/manifest.h"
#include "steptp/exports/table_files.h"
#include "steptp/exports/tables.h"

namespace steptp::testing {

namespace {

using namespace steptp::dataset;

template <typename T>
T must(Result<T, Diagnostic> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(result).value();
}

void must(const std::optional<Diagnostic>& problem) {
  if (problem) throw std::runtime_error(problem->message);
}

Configuration small_configuration(std::uint64_t programs) {
  Configuration out;
  scale_to_programs(out, programs);
  out.depth = 1;
  out.deep_states = 1;
  out.deep_entries = 1;
  out.compile = "none";
  return out;
}

}  // namespace

void build_small_dataset(const std::string& folder, std::uint64_t programs) {
  const Configuration configuration = small_configuration(programs);
  const Plan plan = must(make_plan(configuration, {}));
  std::filesystem::create_directories(std::filesystem::path(folder) / "raw");
  std::vector<Candidate> candidates;
  std::string lines;
  StageTimes times;
  Quota quota(plan.wanted);
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    ProgramRecord record = must(make_record(plan.programs[i], configuration, {}, times));
    append(lines, dataset::to_json(record).dump(), "\n");
    quota.apply(record);
    for (const Entry& entry : record.entries) {
      candidates.push_back({entry.id, entry.program, entry.parent.empty() ? entry.program : entry.parent,
                            entry.strategy, record.program.split, entry.depth > 0});
    }
    const bool ends_part = (i + 1) % kPartPrograms == 0 || i + 1 == plan.programs.size();
    if (ends_part) must(write_file(part_path(folder, i / kPartPrograms), part_bytes(std::exchange(lines, {}))));
  }
  std::string rows;
  for (const SelectedRow& row : select_rows(candidates, configuration).rows) {
    append(rows, dataset::to_json(row).dump(), "\n");
  }
  must(write_file(selection_path(folder), rows));
  must(write_file(compiled_path(folder), ""));
  must(write_build(folder, configuration, plan, Json(Json::Object{})));
}

std::vector<Json> read_rows(const std::string& folder, const std::string& table, Split split) {
  JsonlReader reader = must(JsonlReader::open(concat(folder, "/", jsonl_name(table, split))));
  std::vector<Json> rows;
  while (auto line = must(reader.next())) rows.push_back(parse_json(*line).value());
  return rows;
}

Json with_column(const Json& row, std::string_view column, Json value) {
  Json out;
  for (const auto& [name, old] : *row.as_object()) out.set(name, name == column ? value : old);
  return out;
}

void tamper(const std::string& folder, const std::string& table, Split split,
            const std::function<void(std::vector<Json>& rows)>& change) {
  std::vector<Json> rows = read_rows(folder, table, split);
  change(rows);
  const std::string manifest_path = concat(folder, "/", kManifestFile);
  Manifest manifest = manifest_from_json(parse_json(must(read_file(manifest_path))).value()).value();
  Checksums checksums = must(read_checksums(concat(folder, "/", kChecksumsFile)));
  TableFiles files(folder);
  for (const Json& row : rows) must(files.add(*find_table(table), split, row));
  Manifest changed;
  must(files.finish(changed, checksums));
  for (ExportedTable& exported : manifest.tables) {
    for (SplitFile& file : exported.splits) {
      if (exported.name == table && file.split == split) file = changed.tables.front().splits.front();
    }
  }
  must(write_listed(folder, kManifestFile, dataset::to_json(manifest).dump() + "\n", checksums));
  must(write_listed(folder, kCardFile, card(manifest), checksums));
  must(write_file(concat(folder, "/", kChecksumsFile), to_text(checksums)));
}

}  // namespace steptp::testing
