// The end of a build: one walk through the store collects what the filter, the check for leaks, the sample to
// compile and the summary need; then rows are selected and written. A leak between splits is an error.
#include "steptp/dataset/finish.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"
#include "steptp/dataset/compile_rows.h"
#include "steptp/dataset/select.h"
#include "steptp/dataset/store.h"

namespace steptp::dataset {

namespace {

Hash parse_hash(const std::string& text) {
  Hash out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out, 16);
  return out;
}

Json counts_json(const std::map<std::string, std::uint64_t>& counts) {
  Json out{Json::Object()};
  for (const auto& [key, value] : counts) out.set(key, value);
  return out;
}

Json to_json(const DifficultyCounts& counts) {
  Json out;
  out.set("difficult", counts.difficult).set("medium", counts.medium).set("easy", counts.easy);
  const auto rounded = [](double percent) {
    return static_cast<double>(static_cast<std::int64_t>(percent * 100 + 0.5)) / 100;
  };
  const ByDifficulty percent = counts.percent();
  Json shares;
  shares.set("difficult", rounded(percent.difficult)).set("medium", rounded(percent.medium));
  return out.set("percent", shares.set("easy", rounded(percent.easy)));
}

/// How often the same thing occurs, within a split and in several.
class Repetitions {
 public:
  void add(Split split, Hash what) { ++seen_[what][split]; }
  [[nodiscard]] Json json() const {
    std::map<std::string, std::uint64_t> within;
    std::uint64_t across = 0;
    for (const auto& [what, splits] : seen_) {
      for (const auto& [split, count] : splits) within[std::string(name_of(split))] += count - 1;
      if (splits.size() > 1) ++across;
    }
    Json out;
    return out.set("within", counts_json(within)).set("across", across);
  }

 private:
  std::map<Hash, std::map<Split, std::uint64_t>> seen_;
};

/// One walk through the store: what the filter, the leak checker, the sample and the summary need.
class Survey {
 public:
  std::vector<Candidate> candidates;
  std::vector<SplitMember> members;
  RowSample sample;

  explicit Survey(const Configuration& configuration) : sample(configuration) {}

  void add(const ProgramRecord& record) {
    const DatasetProgram& program = record.program;
    const std::string split(name_of(program.split));
    for (const auto& [reason, count] : record.dropped) {
      dropped_[reason.substr(0, reason.find(':'))] += count;
      dropped_by_strategy_[reason] += count;
    }
    if (!record.excluded.empty()) {
      ++excluded_[record.excluded.substr(0, record.excluded.find(':'))];
      return;
    }
    ++programs_[split];
    ++origins_[program.origin.substr(0, program.origin.find('/'))];
    types_[split].insert(program.type);
    members.push_back({program.split, program.name, parse_hash(program.id), parse_hash(program.structure)});
    for (const Entry& entry : record.entries) add(program, entry);
    for (const Entry& entry : record.unsafe_entries) add_unsafe(program, entry);
    sample.add(record);
  }

  /// States of train that are programs of another split.
  [[nodiscard]] std::vector<std::string> state_leaks() const {
    std::vector<std::string> out;
    for (const auto& [hash, name] : test_roots_) {
      const auto trained = trained_states_.find(hash);
      if (trained == trained_states_.end()) continue;
      out.push_back(concat("the program ", name, " occurs in the entry ", trained->second, " of train"));
    }
    return out;
  }

  void describe(Json& summary) const {
    summary.set("programs", counts_json(programs_)).set("origins", counts_json(origins_));
    std::map<std::string, std::uint64_t> types;
    for (const auto& [split, names] : types_) types[split] = names.size();
    summary.set("types", counts_json(types)).set("entries", counts_json(entries_)).set("deep_entries", deep_);
    summary.set("equal_unsafe", counts_json(unsafe_)).set("strategies", counts_json(strategies_));
    summary.set("grades", counts_json(grades_)).set("safe_by", counts_json(safe_by_));
    summary.set("dropped", counts_json(dropped_)).set("excluded", counts_json(excluded_));
    summary.set("dropped_by_strategy", counts_json(dropped_by_strategy_));
    Json repeated;
    repeated.set("exact", exact_.json()).set("canonical", canonical_.json());
    summary.set("repeated_entries", std::move(repeated));
  }

 private:
  void add(const DatasetProgram& program, const Entry& entry) {
    candidates.push_back({entry.id, entry.program, entry.parent.empty() ? entry.program : entry.parent, entry.strategy,
                          program.split, entry.depth > 0});
    ++entries_[std::string(name_of(program.split))];
    ++strategies_[entry.strategy];
    ++grades_[entry.verdict.grade];
    ++safe_by_[entry.verdict.safe_by];
    if (entry.depth > 0) ++deep_;
    const Hash before = parse_hash(entry.before_hash);
    const Hash after = parse_hash(entry.after_hash);
    exact_.add(program.split, combine(hash_text(entry.before), hash_text(entry.after)));
    canonical_.add(program.split, combine(before, after));
    if (program.split == Split::train) {
      trained_states_.emplace(before, entry.id);
      trained_states_.emplace(after, entry.id);
    } else if (entry.depth == 0) {
      test_roots_.emplace(before, program.name);
    }
  }

  /// No candidate for a row, but somebody may train on it: what it shows must not be a program of another split.
  void add_unsafe(const DatasetProgram& program, const Entry& entry) {
    ++unsafe_[std::string(name_of(program.split))];
    if (program.split == Split::train) trained_states_.emplace(parse_hash(entry.after_hash), entry.id);
  }

  std::map<std::string, std::uint64_t> unsafe_, safe_by_;
  std::map<std::string, std::uint64_t> programs_, origins_, entries_, strategies_, grades_, dropped_, excluded_;
  std::map<std::string, std::uint64_t> dropped_by_strategy_;
  std::map<std::string, std::set<std::string>> types_;
  std::uint64_t deep_ = 0;
  Repetitions exact_;
  Repetitions canonical_;
  std::map<Hash, std::string> trained_states_;
  std::map<Hash, std::string> test_roots_;
};

/// Rows by config and split: {"single":{"train":N,...},"multi":...}.
Json row_counts(const Selection& selection, bool filtered) {
  std::map<std::string, std::map<std::string, std::uint64_t>> counts;
  std::map<std::string, std::uint64_t> answers;
  for (const SelectedRow& row : selection.rows) {
    if (row.is_filtered != filtered) continue;
    const bool is_multi = row.kind == SelectedRow::Kind::multi;
    const std::string kind = concat(row.is_deep ? "deep_" : "", is_multi ? "multi" : "single");
    ++counts[kind][std::string(name_of(row.split))];
    answers[kind] += row.entries.size();
  }
  Json out{Json::Object()};
  for (const auto& [kind, splits] : counts) {
    Json of_kind = counts_json(splits);
    out.set(kind, of_kind.set("answers", answers[kind]));
  }
  return out;
}

std::string selection_text(const std::vector<SelectedRow>& rows) {
  std::string out;
  for (const SelectedRow& row : rows) append(out, dataset::to_json(row).dump(), "\n");
  return out;
}

}  // namespace

Result<bool, Diagnostic> write_build(const std::string& folder, const Configuration& configuration, const Plan& plan,
                                     const Json& summary) {
  Json out;
  out.set("format", kStoreFormat).set("configuration", dataset::to_json(configuration));
  out.set("programs", static_cast<std::uint64_t>(plan.programs.size()));
  out.set("parts", part_count(plan.programs.size()));
  Json wanted{Json::Object()};
  for (const auto& [split, count] : plan.wanted) wanted.set(std::string(name_of(split)), count);
  out.set("wanted", std::move(wanted));
  if (!summary.is_null()) {
    Json sums;
    for (const std::string& path : {selection_path(folder), compiled_path(folder)}) {
      const auto text = read_file(path);
      if (!text) return text.error();
      sums.set(path.substr(folder.size() + 1), sha256_hex(*text));
    }
    out.set("summary", summary).set("sums", std::move(sums));
  }
  return write_file(build_path(folder), out.dump() + "\n");
}

namespace {

/// `leak` where a rule of the splits is broken; the log has all places.
std::optional<Diagnostic> leak_in(const Survey& survey, BuildLog& log) {
  std::vector<std::string> leaks = find_leaks(survey.members);
  for (std::string& leak : survey.state_leaks()) leaks.push_back(std::move(leak));
  for (const std::string& leak : leaks) log.write(concat("leak: ", leak));
  if (leaks.empty()) return std::nullopt;
  return make_error(
      "leak",
      concat(leaks.size(),
             leaks.size() == 1 ? " leak between splits: " : " leaks between splits, the first: ", leaks.front()),
      "build.log names all of them");
}

Json summary_of(const Survey& survey, const Selection& selection, const Plan& plan) {
  Json out;
  survey.describe(out);
  out.set("raw_difficulty", to_json(selection.raw)).set("filtered_difficulty", to_json(selection.filtered));
  out.set("mix_reached", selection.is_mix_reached);
  out.set("rows", row_counts(selection, true)).set("unfiltered_rows", row_counts(selection, false));
  out.set("passed_over", counts_json(plan.passed_over));
  return out.set("held_out_types", Json::Array(plan.held_out.begin(), plan.held_out.end()));
}

}  // namespace

Result<std::optional<Finished>, Diagnostic> finish_dataset(const std::string& folder,
                                                           const Configuration& configuration, const Plan& plan,
                                                           const std::string& python, WorkerPool& workers,
                                                           BuildLog& log, const WorkerCall& call) {
  log.write("all parts are there; selecting rows");
  Survey survey(configuration);
  Quota quota(plan.wanted);
  for (std::uint64_t part = 0; part < part_count(plan.programs.size()); ++part) {
    auto records = read_part(folder, part);
    if (!records) return records.error();
    for (ProgramRecord& record : *records) {
      quota.apply(record);
      survey.add(record);
    }
  }
  if (auto leak = leak_in(survey, log)) return *std::move(leak);
  auto compiled = compile_rows(survey.sample.rows(), python, workers, call);
  if (!compiled) return compiled.error();
  if (compiled->is_stopped) return std::optional<Finished>();
  log.write(compiled->absent.empty() ? compiled->description : concat(compiled->description, "; ", compiled->absent));
  if (auto written = write_file(compiled_path(folder), compiled->lines); !written) return written.error();

  const Selection selection = select_rows(survey.candidates, configuration);
  if (auto written = write_file(selection_path(folder), selection_text(selection.rows)); !written)
    return written.error();
  if (!selection.is_mix_reached) {
    log.write("the wanted mix of difficulties cannot be reached by dropping medium and easy rows");
  }
  Finished out{summary_of(survey, selection, plan), std::move(compiled->absent)};
  if (auto written = write_build(folder, configuration, plan, out.summary); !written) return written.error();
  log.write("complete");
  return std::optional(std::move(out));
}

}  // namespace steptp::dataset
