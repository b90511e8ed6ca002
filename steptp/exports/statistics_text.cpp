// Statistics as tables of text and as JSON.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/exports/statistics.h"
#include "steptp/exports/statistics_tables.h"

namespace steptp::dataset {

namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

template <typename Value>
Occurrences sum_of(const std::map<std::string, Value>& counts) {
  Occurrences out;
  for (const auto& [name, count] : counts) {
    out.raw += count.raw;
    out.single += count.single;
    out.multi += count.multi;
  }
  return out;
}

}  // namespace

static ReportTable split_table(const Statistics& statistics) {
  ReportTable out{
      "Splits",
      {},
      {"split", "programs", "entries", "deeper entries", "single rows", "multi rows", "deep rows", "unfiltered rows"},
      {}};
  for (const Split split : kAllSplits) {
    const SplitCounts& counts = statistics.of(split);
    out.rows.push_back({std::string(name_of(split)), number(counts.programs), number(counts.entries),
                        number(counts.deep_entries), number(counts.single), number(counts.multi),
                        number(counts.deep_rows), number(counts.unfiltered)});
  }
  return out;
}

static ReportTable occurrence_table(const std::string& title, const std::map<std::string, Occurrences>& counts) {
  ReportTable out{
      title, {}, {"", "raw entries", "share", "single rows", "multi occurrences", "after filtering", "share"}, {}};
  const Occurrences all = sum_of(counts);
  for (const auto& [name, count] : counts) {
    out.rows.push_back({name, number(count.raw), percent(count.raw, all.raw), number(count.single), number(count.multi),
                        number(count.filtered()), percent(count.filtered(), all.filtered())});
  }
  return out;
}

static ReportTable strategy_table(const Statistics& statistics) {
  ReportTable out{"Strategies (train, from the original programs)",
                  {},
                  {"strategy", "level", "difficulty", "raw entries", "single rows", "multi occurrences"},
                  {}};
  for (const auto& [name, strategy] : statistics.strategies) {
    out.rows.push_back({name, strategy.level, strategy.difficulty, number(strategy.count.raw),
                        number(strategy.count.single), number(strategy.count.multi)});
  }
  return out;
}

static ReportTable token_table(const std::string& title, const std::vector<TokenCounts>& series) {
  ReportTable out{title, {}, {"form", "programs", "mean", "median", "p99", "max"}, {}};
  for (const TokenCounts& form : series) {
    const TokenCounts::Summary summary = form.summary();
    out.rows.push_back({form.form, number(form.counts.size()), one_digit(summary.mean), number(summary.median),
                        number(summary.p99), number(summary.max)});
  }
  return out;
}

static ReportTable histogram_table(const std::string& title, const std::vector<TokenCounts>& series) {
  ReportTable out{title, {}, {"tokens"}, {}};
  for (const TokenCounts& form : series) out.columns.push_back(form.form);
  for (std::size_t i = 0; i < TokenCounts::kEdges.size(); ++i) {
    const bool is_last = i + 1 == TokenCounts::kEdges.size();
    std::vector<std::string> row = {is_last ? concat(TokenCounts::kEdges[i], " and more")
                                            : concat(TokenCounts::kEdges[i], " to ", TokenCounts::kEdges[i + 1] - 1)};
    for (const TokenCounts& form : series) row.push_back(number(form.histogram()[i]));
    out.rows.push_back(std::move(row));
  }
  return out;
}

static ReportTable count_table(const std::string& title, const std::string& what, const NamedCounts& counts) {
  ReportTable out{title, {}, {what, "number"}, {}};
  for (const auto& [name, count] : counts) out.rows.push_back({name, number(count)});
  return out;
}

static ReportTable subset_table(const Statistics& statistics) {
  ReportTable out{"Multi-answer rows by number of answers (train)", {}, {"answers", "rows"}, {}};
  for (const auto& [size, rows] : statistics.subset_sizes) out.rows.push_back({number(size), number(rows)});
  return out;
}

std::vector<ReportTable> tables_of(const Statistics& statistics) {
  std::vector<ReportTable> tables = {split_table(statistics),
                                     occurrence_table("Difficulty before and after (train)", statistics.difficulties),
                                     occurrence_table("Levels before and after (train)", statistics.levels),
                                     occurrence_table("Grades before and after (train)", statistics.grades),
                                     occurrence_table("Safe by, before and after (train)", statistics.safe_by),
                                     strategy_table(statistics),
                                     subset_table(statistics),
                                     token_table("Tokens of original programs", statistics.program_tokens),
                                     histogram_table("Original programs by tokens", statistics.program_tokens),
                                     token_table("Tokens of transformed programs", statistics.result_tokens),
                                     histogram_table("Transformed programs by tokens", statistics.result_tokens),
                                     count_table("Programs by origin", "origin", statistics.origins),
                                     count_table("Entries by compiler", "compiler", statistics.compiled),
                                     count_table("Candidates that were dropped", "reason", statistics.dropped),
                                     count_table("Programs that were left out", "reason", statistics.excluded)};
  ReportTable duplicates{"Transformed programs that occur again, up to renaming", {}, {"where", "entries"}, {}};
  duplicates.rows = {{"within a split", number(statistics.duplicates_within)},
                     {"in another split", number(statistics.duplicates_across)}};
  tables.push_back(std::move(duplicates));
  ReportTable times{"Processor time of the build, seconds", {}, {"stage", "seconds"}, {}};
  for (const auto& [stage, seconds] : statistics.stage_seconds) times.rows.push_back({stage, one_digit(seconds)});
  tables.push_back(std::move(times));
  return tables;
}

static std::string table_text(const ReportTable& table) {
  std::vector<std::vector<std::string>> rows = {table.columns};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  return concat(table.title, "\n", aligned(rows, 1, {"  ", "   "}));
}

std::string to_text(const Statistics& statistics) {
  std::string out;
  for (const ReportTable& table : tables_of(statistics)) {
    if (!table.rows.empty()) append(out, out.empty() ? "" : "\n", table_text(table));
  }
  return out;
}

namespace {

Json counts_json(const NamedCounts& counts) {
  Json out{Json::Object{}};
  for (const auto& [name, count] : counts) out.set(name, count);
  return out;
}

Json occurrence_json(const Occurrences& count) {
  Json out;
  out.set("raw", count.raw).set("single", count.single).set("multi", count.multi);
  return out;
}

Json occurrences_json(const std::map<std::string, Occurrences>& counts) {
  Json out{Json::Object{}};
  for (const auto& [name, count] : counts) out.set(name, occurrence_json(count));
  return out;
}

Json tokens_json(const std::vector<TokenCounts>& series) {
  Json out{Json::Object{}};
  for (const TokenCounts& form : series) {
    const TokenCounts::Summary summary = form.summary();
    Json::Array histogram;
    for (const std::uint64_t count : form.histogram()) histogram.emplace_back(count);
    Json one;
    one.set("programs", static_cast<std::uint64_t>(form.counts.size())).set("mean", summary.mean);
    one.set("median", summary.median).set("p99", summary.p99).set("max", summary.max);
    out.set(form.form, one.set("histogram", std::move(histogram)));
  }
  return out;
}

}  // namespace

Json to_json(const Statistics& statistics) {
  Json splits{Json::Object{}};
  for (const Split split : kAllSplits) {
    const SplitCounts& counts = statistics.of(split);
    Json one;
    one.set("programs", counts.programs).set("entries", counts.entries).set("deep_entries", counts.deep_entries);
    one.set("single", counts.single).set("multi", counts.multi).set("deep_rows", counts.deep_rows);
    splits.set(name_of(split), one.set("unfiltered", counts.unfiltered).set("equal_unsafe", counts.equal_unsafe));
  }
  Json strategies{Json::Object{}};
  for (const auto& [name, strategy] : statistics.strategies) {
    Json one;
    one.set("level", strategy.level).set("difficulty", strategy.difficulty);
    strategies.set(name, one.set("count", occurrence_json(strategy.count)).set("equal_unsafe", strategy.equal_unsafe));
  }
  Json subsets{Json::Object{}};
  for (const auto& [size, rows] : statistics.subset_sizes) subsets.set(number(size), rows);
  Json edges{Json::Array{}};
  for (const std::uint32_t edge : TokenCounts::kEdges) edges.push(edge);
  Json out;
  out.set("splits", std::move(splits)).set("origins", counts_json(statistics.origins));
  out.set("strategies", std::move(strategies)).set("difficulties", occurrences_json(statistics.difficulties));
  out.set("levels", occurrences_json(statistics.levels)).set("grades", occurrences_json(statistics.grades));
  out.set("safe_by", occurrences_json(statistics.safe_by));
  out.set("subset_sizes", std::move(subsets)).set("token_edges", std::move(edges));
  out.set("program_tokens", tokens_json(statistics.program_tokens));
  out.set("result_tokens", tokens_json(statistics.result_tokens)).set("compiled", counts_json(statistics.compiled));
  out.set("dropped", counts_json(statistics.dropped)).set("excluded", counts_json(statistics.excluded));
  out.set("duplicates_within", statistics.duplicates_within).set("duplicates_across", statistics.duplicates_across);
  Json times{Json::Object{}};
  for (const auto& [stage, seconds] : statistics.stage_seconds) times.set(stage, seconds);
  out.set("stage_seconds", std::move(times));
  return out.set("build", statistics.build_summary);
}

}  // namespace steptp::dataset
