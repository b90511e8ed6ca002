#include "steptp/exports/statistics.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "steptp/base/line_reader.h"
#include "steptp/base/text.h"
#include "steptp/dataset/store.h"

namespace steptp::dataset {

namespace {

constexpr std::array<const char*, 4> kForms = {"LEIR paper", "LEIR compact", "TIR", "CUDA"};

void add_tokens(std::vector<TokenCounts>& series, const FormTokens& tokens) {
  const std::array<std::uint64_t, 4> counts = {tokens.paper, tokens.compact, tokens.tir, tokens.cuda};
  for (std::size_t i = 0; i < counts.size(); ++i) series[i].counts.push_back(static_cast<std::uint32_t>(counts[i]));
}

/// How often an entry stands in selected rows.
struct Uses {
  std::uint64_t single = 0;
  std::uint64_t multi = 0;
};

class Collector {
 public:
  explicit Collector(Statistics& out) : out_(out) {
    for (const char* form : kForms) {
      out_.program_tokens.push_back({form, {}});
      out_.result_tokens.push_back({form, {}});
    }
  }

  void add_selection(const std::vector<SelectedRow>& selection) {
    for (const SelectedRow& row : selection) {
      SplitCounts& split = out_.splits[static_cast<std::size_t>(row.split)];
      const bool is_single = row.kind == SelectedRow::Kind::single;
      if (!row.is_filtered) {
        ++split.unfiltered;
        continue;
      }
      ++(row.is_deep ? split.deep_rows : is_single ? split.single : split.multi);
      if (row.is_deep || row.split != Split::train) continue;
      if (!is_single) ++out_.subset_sizes[row.entries.size()];
      for (const std::string& id : row.entries) ++(is_single ? uses_[id].single : uses_[id].multi);
    }
  }

  void add_record(const ProgramRecord& record) {
    for (const auto& [reason, count] : record.dropped) out_.dropped[reason] += count;
    const DatasetProgram& program = record.program;
    if (!record.excluded.empty()) {
      ++out_.excluded[record.excluded.substr(0, record.excluded.find(':'))];
      return;
    }
    SplitCounts& split = out_.splits[static_cast<std::size_t>(program.split)];
    ++split.programs;
    ++out_.origins[program.origin.substr(0, program.origin.find('/'))];
    add_tokens(out_.program_tokens, program.tokens);
    for (const Entry& entry : record.entries) add_entry(entry, program.split, split);
    for (const Entry& entry : record.unsafe_entries) add_unsafe(entry, program.split, split);
  }

  void finish() {
    for (std::vector<TokenCounts>* series : {&out_.program_tokens, &out_.result_tokens}) {
      for (TokenCounts& form : *series) std::sort(form.counts.begin(), form.counts.end());
    }
  }

 private:
  void add_entry(const Entry& entry, Split in, SplitCounts& split) {
    ++(entry.depth == 0 ? split.entries : split.deep_entries);
    ++out_.compiled[entry.compiled];
    add_tokens(out_.result_tokens, entry.tokens);
    count_duplicate(entry.after_hash, in);
    if (in != Split::train || entry.depth > 0) return;
    const Uses uses = uses_[entry.id];
    const auto add = [&uses](Occurrences& count) {
      ++count.raw;
      count.single += uses.single;
      count.multi += uses.multi;
    };
    StrategyOccurrences& strategy = out_.strategies[entry.strategy];
    strategy.level = entry.level;
    strategy.difficulty = entry.difficulty;
    add(strategy.count);
    add(out_.difficulties[entry.difficulty]);
    add(out_.levels[entry.level]);
    add(out_.grades[entry.verdict.grade]);
    add(out_.safe_by[entry.verdict.safe_by]);
  }

  void add_unsafe(const Entry& entry, Split in, SplitCounts& split) {
    ++split.equal_unsafe;
    if (in != Split::train || entry.depth > 0) return;
    StrategyOccurrences& strategy = out_.strategies[entry.strategy];
    strategy.level = entry.level;
    strategy.difficulty = entry.difficulty;
    ++strategy.equal_unsafe;
  }

  void count_duplicate(const std::string& hash, Split in) {
    const bool is_within = !results_[static_cast<std::size_t>(in)].insert(hash).second;
    bool is_across = false;
    for (const Split other : kAllSplits) {
      is_across = is_across || (other != in && results_[static_cast<std::size_t>(other)].contains(hash));
    }
    out_.duplicates_within += is_within ? 1 : 0;
    out_.duplicates_across += is_across ? 1 : 0;
  }

  Statistics& out_;
  std::map<std::string, Uses> uses_;
  std::array<std::set<std::string>, 4> results_;
};

/// Measured times differ from run to run, so that they lie beside the dataset; a line that is none is passed over.
std::map<std::string, double> read_times(const std::string& folder) {
  std::map<std::string, double> out;
  auto lines = LineReader::open(concat(folder, "/timings.jsonl"));
  if (!lines) return out;
  for (auto line = lines->next(); line && line->has_value(); line = lines->next()) {
    const auto times = parse_json(**line);
    if (!times || times->as_object() == nullptr) continue;
    for (const auto& [stage, milliseconds] : *times->as_object()) {
      if (milliseconds.is_number()) out[stage] += milliseconds.number() / 1000;
    }
  }
  return out;
}

}  // namespace

TokenCounts::Summary TokenCounts::summary() const {
  if (counts.empty()) return {};
  double sum = 0;
  for (const std::uint32_t count : counts) sum += count;
  const auto at = [this](double share) {
    return counts[static_cast<std::size_t>(share * static_cast<double>(counts.size() - 1))];
  };
  return {sum / static_cast<double>(counts.size()), at(0.5), at(0.99), counts.back()};
}

std::vector<std::uint64_t> TokenCounts::histogram() const {
  std::vector<std::uint64_t> out(kEdges.size(), 0);
  for (const std::uint32_t count : counts) {
    const auto above = std::upper_bound(kEdges.begin(), kEdges.end(), count);
    ++out[static_cast<std::size_t>(above - kEdges.begin()) - 1];
  }
  return out;
}

std::string one_digit(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", number);
  return text.data();
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text.data();
}

Result<Statistics, Diagnostic> collect_statistics(
    const std::string& folder, const std::function<void(std::uint64_t done, std::uint64_t total)>& progress) {
  const auto build = read_build(folder);
  if (!build) return build.error();
  const auto selection = read_selection(folder);
  if (!selection) return selection.error();
  const Json* programs = build->find("programs");
  const std::uint64_t total = programs == nullptr || programs->as_integer() == nullptr
                                  ? 0
                                  : static_cast<std::uint64_t>(*programs->as_integer());
  Statistics out;
  Collector collector(out);
  collector.add_selection(*selection);
  std::uint64_t done = 0;
  auto problem = for_each_record(folder, [&](ProgramRecord&& record) {
    collector.add_record(record);
    if (progress) progress(++done, total);
    return true;
  });
  if (problem) return *std::move(problem);
  collector.finish();
  out.stage_seconds = read_times(folder);
  if (const Json* summary = build->find("summary")) out.build_summary = *summary;
  return out;
}

}  // namespace steptp::dataset
