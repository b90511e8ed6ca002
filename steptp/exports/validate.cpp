// Reads an exported dataset as a stranger would: checksums, schemas, then every row made again from its recipe and
// compared, and a sample judged again. Every finding names its row.
#include "steptp/exports/validate.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/hash.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"
#include "steptp/columns/parquet_reader.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/plan.h"
#include "steptp/dataset/store.h"
#include "steptp/exports/archive_index.h"
#include "steptp/exports/card.h"
#include "steptp/exports/chat_tokens.h"
#include "steptp/exports/manifest.h"
#include "steptp/exports/table_files.h"
#include "steptp/exports/validate_archive.h"
#include "steptp/exports/validate_rows.h"
#include "steptp/tokens/qwen3.h"

namespace steptp::dataset {

namespace {

struct ReadRow {
  std::uint64_t number = 0;  ///< counted from 1
  Json row;
};

/// What the check of one row sends back.
struct RowAnswer {
  std::uint64_t number = 0;
  Json row;
  CheckedRow checked;
};

class Validator {
 public:
  Validator(std::string folder, Manifest manifest, const ValidateOptions& options)
      : folder_(std::move(folder)), manifest_(std::move(manifest)), options_(options) {
    for (const ExportedTable& table : manifest_.tables) {
      for (const SplitFile& file : table.splits) total_ += file.rows;
    }
  }

  Validation run() {
    check_checksums();
    check_store();
    check_card();
    for (const char* name : {"archive", "equal_unsafe"}) {
      if (const ExportedTable* table = manifest_.find(name)) check_archive(*table);
    }
    check_leaks();
    check_strategies();
    // Near misses first: the rows of other tables are compared with them.
    if (const ExportedTable* misses = manifest_.find("near_miss")) check_table(*misses);
    for (const ExportedTable& table : manifest_.tables) {
      const bool is_checked = table.name == "archive" || table.name == "equal_unsafe" || table.name == "near_miss";
      if (!is_checked) check_table(table);
    }
    return std::move(out_);
  }

 private:
  void fail(const std::string& file, std::string what) { out_.problems.push_back({file, {}, std::move(what)}); }
  void fail(const std::string& file, std::uint64_t number, const Json& row, std::string what) {
    const std::string& id = text_of(row, "id");
    out_.problems.push_back(
        {file, concat("row ", number, id.empty() ? "" : concat(" (id ", id, ")")), std::move(what)});
  }
  [[nodiscard]] std::string path(const std::string& name) const { return concat(folder_, "/", name); }

  void check_checksums() {
    const auto listed = read_checksums(path(kChecksumsFile));
    if (!listed) return fail(kChecksumsFile, listed.error().message);
    for (const auto& [name, wanted] : *listed) {
      ++out_.files;
      const auto sum = checksum_of(path(name));
      if (!sum) {
        fail(name, std::filesystem::exists(path(name)) ? sum.error().message : "the file is missing");
      } else if (*sum != wanted) {
        fail(name, "the file is not what its checksum says");
      }
    }
    std::error_code error;
    std::set<std::string> found = {kManifestFile, kCardFile, kSchemaFile};
    for (const auto& item : std::filesystem::recursive_directory_iterator(path("data"), error)) {
      if (item.is_regular_file()) found.insert(std::filesystem::relative(item.path(), folder_).generic_string());
    }
    for (const std::string& name : found) {
      if (!listed->contains(name)) fail(name, concat("no checksum in ", std::string_view(kChecksumsFile)));
    }
    check_extra_files(*listed);
  }

  /// What lies beside the dataset's own files.
  void check_extra_files(const Checksums& listed) {
    std::set<std::string, std::less<>> own = {kChecksumsFile, kManifestFile, kCardFile, kSchemaFile, "data"};
    if (std::filesystem::exists(build_path(folder_))) own.insert({"build.log", "timings.jsonl"});
    for (const auto& [name, sum] : listed) own.insert(name.substr(0, name.find('/')));
    std::error_code error;
    for (const auto& item : std::filesystem::directory_iterator(folder_, error)) {
      const std::string name = item.path().filename().string();
      if (!own.contains(name) && !name.starts_with(".git")) fail(name, "it is no part of the dataset");
    }
  }

  /// The build that lies in the same folder: rows and parts against their own checksums.
  void check_store() {
    if (!std::filesystem::exists(build_path(folder_))) return;
    const auto build = read_build(folder_);
    if (!build) return fail("build.json", build.error().message);
    if (const auto changed = check_sums(folder_, *build)) fail("build.json", changed->message);
    const Json* parts = build->find("parts");
    const std::int64_t count = parts && parts->as_integer() ? *parts->as_integer() : 0;
    for (std::int64_t part = 0; part < count; ++part) {
      const auto records = read_part(folder_, static_cast<std::uint64_t>(part));
      if (!records) fail("raw", records.error().message);
    }
  }

  void check_card() {
    const auto text = read_file(path(kCardFile));
    if (text && *text != card(manifest_)) fail(kCardFile, "the card is not that of manifest.json");
    const auto schema = read_file(path(kSchemaFile));
    const std::string wanted = json_schema(find_table("archive")->schema, "A row of the archive").dump() + "\n";
    if (schema && *schema != wanted) fail(kSchemaFile, "the schema is not that of the archive");
  }

  /// Reads a split of a table from both of its files; `take` gets rows that fit the schema and are the same in both.
  template <typename Take>
  void read_rows(const Table& table, const SplitFile& file, const Take& take) {
    const std::string parquet_file = parquet_name(table.name, file.split);
    const std::string jsonl_file = jsonl_name(table.name, file.split);
    auto parquet = ParquetReader::open(path(parquet_file), table.schema);
    auto jsonl = JsonlReader::open(path(jsonl_file));
    if (!parquet) fail(parquet_file, parquet.error().message);
    if (!jsonl) return fail(jsonl_file, jsonl.error().message);
    bool is_compared = parquet.ok();
    for (std::uint64_t number = 1;; ++number) {
      const auto line = jsonl->next();
      if (!line) return fail(jsonl_file, line.error().message);
      if (!line->has_value()) {
        if (number - 1 != file.rows) fail(jsonl_file, concat("it has ", number - 1, " rows, not ", file.rows));
        return;
      }
      ++out_.rows;
      if (options_.progress) options_.progress(out_.rows, total_);
      auto row = parse_json(**line);
      if (!row) {
        fail(jsonl_file, number, Json(), concat("the row is not JSON: ", row.error().message));
        continue;
      }
      const std::string problem = misfit(*row, table.schema);
      if (!problem.empty()) {
        fail(jsonl_file, number, *row, problem);
        continue;
      }
      // A difference is named once: what follows would only repeat it.
      is_compared = is_compared && same_in_parquet(*parquet, parquet_file, number, *row);
      take(ReadRow{number, std::move(row).value()});
    }
  }

  [[nodiscard]] bool same_in_parquet(ParquetReader& parquet, const std::string& file, std::uint64_t number,
                                     const Json& row) {
    const auto other = parquet.next();
    if (!other) return fail(file, other.error().message), false;
    if (other->has_value() && (*other)->dump() == row.dump()) return true;
    fail(file, number, row, "the row is not that of the JSON lines beside it");
    return false;
  }

  /// The rows of the smallest hashes are judged, whatever their order.
  [[nodiscard]] Hash judging_limit(const ExportedTable& table) const {
    std::uint64_t rows = 0;
    for (const SplitFile& file : table.splits) rows += file.rows;
    if (options_.judged >= rows) return UINT64_MAX;
    return static_cast<Hash>(static_cast<double>(options_.judged) / static_cast<double>(rows) * 0x1p64);
  }
  [[nodiscard]] bool is_judged(const Json& row, Hash limit) const {
    return options_.judged > 0 && mix(hash_text(text_of(row, "id"))) <= limit;
  }

  /// As the build judged, with as much effort: then grade and safety are the same.
  [[nodiscard]] VerifyOptions judging() const {
    VerifyOptions out;
    const auto built = configuration_from_json(manifest_.configuration);
    if (!built) return out;
    out.budget = built->budget;
    out.proof_work = built->proof_budget;
    out.safety_budget = built->safety_budget;
    return out;
  }

  void check_archive(const ExportedTable& exported) {
    const Table& table = *find_table(exported.name);
    const VerifyOptions judging = this->judging();
    const Hash limit = judging_limit(exported);
    for (const SplitFile& file : exported.splits) {
      const std::string name = jsonl_name(table.name, file.split);
      OrderedStream<ReadRow, RowAnswer> stream(
          options_.jobs, std::size_t{16} * std::max(1U, options_.jobs),
          [&](const ReadRow& read) {
            std::optional<VerifyOptions> judge;
            if (is_judged(read.row, limit)) judge = judging;
            return RowAnswer{read.number, read.row, check_archive_row(read.row, table, file.split, judge)};
          },
          [&](RowAnswer&& answer) {
            take_archive_row(table, name, file.split, std::move(answer));
            return true;
          });
      read_rows(table, file, [&](ReadRow&& read) { stream.push(std::move(read)); });
      stream.finish();
    }
  }

  void check_leaks() {
    std::vector<SplitMember> all;
    for (auto& [key, member] : members_) all.push_back(std::move(member));
    for (const std::string& leak : find_leaks(all)) fail("data/archive", concat("a leak: ", leak));
    for (const auto& [hash, row] : tested_) {
      const auto trained = trained_.find(hash);
      if (trained == trained_.end()) continue;
      out_.problems.push_back(
          {row.first, row.second, concat("a leak: its program is a state of entry ", trained->second, " of train")});
    }
  }

  /// The manifest's counts, from which the card lists strategies with few safe rows, against the rows.
  void check_strategies() {
    for (const auto& [name, rows] : manifest_.strategies) {
      const StrategyRows& found = found_[name];
      const bool is_safe_right = manifest_.find("archive") == nullptr || found.safe == rows.safe;
      const bool is_unsafe_right = manifest_.find("equal_unsafe") == nullptr || found.unsafe == rows.unsafe;
      if (is_safe_right && is_unsafe_right) continue;
      fail(kManifestFile, concat("strategy '", name, "' has ", found.safe, " safe rows and ", found.unsafe,
                                 " others, not ", rows.safe, " and ", rows.unsafe));
    }
    for (const auto& [name, rows] : found_) {
      if (!manifest_.strategies.contains(name)) fail(kManifestFile, concat("strategy '", name, "' is not counted"));
    }
  }

  void take_archive_row(const Table& table, const std::string& file, Split split, RowAnswer answer) {
    for (std::string& problem : answer.checked.problems) fail(file, answer.number, answer.row, std::move(problem));
    out_.replayed += answer.checked.is_replayed ? 1 : 0;
    out_.judged += answer.checked.is_judged ? 1 : 0;
    const std::string& program = text_of(answer.row, "program_id");
    if (answer.checked.form != 0) {
      members_.emplace(concat(name_of(split), " ", program),
                       SplitMember{split, text_of(answer.row, "program"), answer.checked.form, answer.checked.pattern});
    }
    note_states(file, split, answer);
    const bool is_archive = table.name == "archive";
    StrategyRows& counts = found_[text_of(answer.row, "strategy")];
    ++(is_archive ? counts.safe : counts.unsafe);
    const bool is_new = archived_.insert(text_of(answer.row, "id")).second;
    // Other tables are compared with the archive: a row made of what is not safe names an entry that is not there.
    if (is_archive && is_new) archive_.add(answer.row, split, std::move(answer.checked.signature));
    if (!is_new) {
      fail(file, answer.number, answer.row, "the row is there already: a duplicate");
    }
  }

  /// Programs that training sees before or after a step, and programs that tests ask about.
  void note_states(const std::string& file, Split split, const RowAnswer& answer) {
    const std::string& original = text_of(answer.row, "original_hash");
    const std::string& id = text_of(answer.row, "id");
    if (split == Split::train) {
      trained_.emplace(original, id);
      trained_.emplace(text_of(answer.row, "transformed_hash"), id);
    } else if (text_of(answer.row, "parent").empty()) {
      tested_.emplace(original, std::pair(file, concat("row ", answer.number, " (id ", id, ")")));
    }
  }

  void check_table(const ExportedTable& exported) {
    const Table* table = find_table(exported.name);
    if (table == nullptr) return fail(kManifestFile, concat("there is no table '", exported.name, "'"));
    std::set<std::string> ids;
    const Hash limit = judging_limit(exported);
    const auto& tokenizer = qwen3_tokenizer();
    for (const SplitFile& file : exported.splits) {
      const std::string name = jsonl_name(table->name, file.split);
      OrderedStream<ReadRow, RowAnswer> stream(
          options_.jobs, std::size_t{16} * std::max(1U, options_.jobs),
          [&](const ReadRow& read) {
            RowAnswer answer{read.number, read.row, {}};
            // Counting takes longer than all the rest, so only the rows that are judged are counted.
            std::optional<ChatTokens> tokens;
            answer.checked.is_judged = is_judged(read.row, limit);
            if (answer.checked.is_judged) tokens.emplace(*tokenizer);
            answer.checked.problems = check_row(read.row, *table, file.split, archive_, tokens ? &*tokens : nullptr,
                                                answer.checked.is_judged);
            return answer;
          },
          [&](RowAnswer&& answer) {
            for (std::string& problem : answer.checked.problems)
              fail(name, answer.number, answer.row, std::move(problem));
            const std::string& id = text_of(answer.row, "id");
            if (!ids.insert(id).second) fail(name, answer.number, answer.row, "the row is there already: a duplicate");
            if (exported.name == "near_miss") {
              archive_.near_misses.emplace(id, ArchiveIndex::Wrong{hash_bytes(text_of(answer.row, "wrong_leir")),
                                                                   hash_bytes(text_of(answer.row, "wrong_reasoning"))});
              out_.judged += answer.checked.is_judged ? 1 : 0;
            }
            return true;
          });
      if (manifest_.find("archive") == nullptr) {
        read_rows(*table, file, [](ReadRow&&) {});
      } else {
        read_rows(*table, file, [&](ReadRow&& read) { stream.push(std::move(read)); });
      }
      stream.finish();
    }
  }

  std::string folder_;
  Manifest manifest_;
  const ValidateOptions& options_;
  std::uint64_t total_ = 0;
  ArchiveIndex archive_;
  std::set<std::string> archived_;                                     ///< ids of the archive and of equal_unsafe
  std::map<std::string, StrategyRows> found_;                          ///< by strategy
  std::map<std::string, SplitMember> members_;                         ///< by split and program
  std::map<std::string, std::string> trained_;                         ///< hashes, and an entry that has it
  std::map<std::string, std::pair<std::string, std::string>> tested_;  ///< hashes, and the file and row that asks
  Validation out_;
};

}  // namespace

std::string to_text(const ValidationProblem& problem) {
  return concat(problem.file, problem.row.empty() ? "" : ": ", problem.row, ": ", problem.what);
}

Json to_json(const Validation& found) {
  Json::Array problems;
  for (const ValidationProblem& problem : found.problems) {
    Json one;
    problems.push_back(one.set("file", problem.file).set("row", problem.row).set("what", problem.what));
  }
  Json out;
  out.set("ok", found.ok()).set("files", found.files).set("rows", found.rows).set("replayed", found.replayed);
  return out.set("judged", found.judged).set("problems", std::move(problems));
}

Result<Validation, Diagnostic> validate_dataset(const std::string& folder, const ValidateOptions& options) {
  const std::string path = concat(folder, "/", kManifestFile);
  const auto text = read_file(path);
  if (!text) {
    return make_error("dataset", concat("'", folder, "' holds no exported dataset: ", text.error().message),
                      "`steptp dataset export` writes one");
  }
  const auto json = parse_json(*text);
  if (!json) return make_error("dataset", concat("'", path, "' is not JSON: ", json.error().message));
  auto manifest = manifest_from_json(*json);
  if (!manifest) return make_error("dataset", concat("'", path, "' is not a manifest: ", manifest.error()));
  const auto& tokenizer = qwen3_tokenizer();
  if (!tokenizer) return tokenizer.error();
  return Validator(folder, std::move(manifest).value(), options).run();
}

}  // namespace steptp::dataset
