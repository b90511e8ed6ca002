#include "steptp/evaluate/report.h"

#include <algorithm>
#include <cstdio>

#include "steptp/base/text.h"
#include "steptp/evaluate/figures.h"
#include "steptp/recipe/registry.h"
#include "steptp/text/strategy_names.h"

namespace steptp {

namespace {

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return buffer;
}

std::uint64_t last(const std::vector<std::uint64_t>& counts) { return counts.empty() ? 0 : counts.back(); }

std::uint64_t equal_ones(const std::map<std::string, StageCounts>& table) {
  std::uint64_t out = 0;
  for (const auto& [name, counts] : table) out += last(counts.equal);
  return out;
}

ReportTable stages(const EvaluationSummary& summary, bool is_run) {
  ReportTable table;
  table.title = "How far programs came";
  table.note =
      "Each line counts what passed all lines before it, but for the first. A further trial has inputs of its own, and "
      "counts what passed every trial up to it.";
  table.columns = {"", "programs", "share"};
  const StageCounts& all = summary.all;
  const auto add = [&](std::string name, std::uint64_t count) {
    table.rows.push_back({std::move(name), std::to_string(count), percent(count, all.programs)});
  };
  add("different text", all.different_text);
  add("different", all.different);
  add(is_run ? "build" : "can be lowered", all.build);
  for (std::size_t i = 0; is_run && i < summary.trials; ++i)
    add(concat("execute, ", i + 1, " of ", summary.trials), all.execute[i]);
  for (std::size_t i = 0; i < summary.trials; ++i) add(concat("equal, ", i + 1, " of ", summary.trials), all.equal[i]);
  add("equal and safe", all.safe);
  return table;
}

ReportTable passes(const EvaluationSummary& summary) {
  ReportTable table;
  table.title = "pass@k";
  table.note = "The chance that one of k attempts succeeds, estimated without bias from all attempts.";
  table.columns = {"k", "pass@k", "cases"};
  table.numbers_from = 0;
  for (const PassAt& one : summary.pass_at) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2f %%", 100 * one.value);
    table.rows.push_back({std::to_string(one.k), buffer, std::to_string(one.cases)});
  }
  return table;
}

/// The names of the columns of `add_row`.
std::vector<std::string> count_columns(std::vector<std::string> names, bool is_run) {
  names.insert(names.end(), {"programs", "different"});
  if (is_run) names.insert(names.end(), {"build", "execute"});
  if (!is_run) names.emplace_back("can be lowered");
  names.insert(names.end(), {"equal", "of its own", "of all equal"});
  return names;
}

void add_row(ReportTable& table, std::vector<std::string> names, const StageCounts& counts, std::uint64_t all_equal,
             bool is_run) {
  const std::uint64_t equal = last(counts.equal);
  for (const std::uint64_t count : {counts.programs, counts.different, counts.build})
    names.push_back(std::to_string(count));
  if (is_run) names.push_back(std::to_string(last(counts.execute)));
  names.push_back(std::to_string(equal));
  names.push_back(percent(equal, counts.programs));
  names.push_back(percent(equal, all_equal));
  table.rows.push_back(std::move(names));
}

ReportTable named(std::string title, const std::string& what, const std::map<std::string, StageCounts>& counts,
                  const std::vector<std::string>& order, bool is_run) {
  ReportTable table;
  table.title = std::move(title);
  table.columns = count_columns({what}, is_run);
  const std::uint64_t all_equal = equal_ones(counts);
  for (const std::string& name : order) {
    if (const auto at = counts.find(name); at != counts.end()) add_row(table, {name}, at->second, all_equal, is_run);
  }
  return table;
}

ReportTable strategies(const EvaluationSummary& summary, bool is_run) {
  ReportTable table;
  table.title = "By strategy";
  table.note = "As answers name them.";
  table.columns = count_columns({"strategy", "level", "difficulty"}, is_run);
  table.numbers_from = 3;
  const std::uint64_t all_equal = equal_ones(summary.by_strategy);
  std::vector<std::string> order = strategy_names();
  order.insert(order.end(), {"(other)", "(none)"});
  for (const std::string& name : order) {
    const auto at = summary.by_strategy.find(name);
    if (at == summary.by_strategy.end()) continue;
    const Strategy* strategy = find_strategy(name);
    const std::string level = strategy ? std::string(name_of(strategy->level)) : "";
    const std::string difficulty = strategy ? std::string(strategy->difficulty()) : "";
    add_row(table, {name, level, difficulty}, at->second, all_equal, is_run);
  }
  return table;
}

ReportTable grades(const EvaluationSummary& summary) {
  ReportTable table;
  table.title = "By grade";
  table.columns = {"grade", "equal", "share"};
  for (const Grade grade : {Grade::proved, Grade::exact}) {
    const auto at = summary.grades.find(std::string(name_of(grade)));
    if (at == summary.grades.end()) continue;
    table.rows.push_back({at->first, std::to_string(at->second), percent(at->second, last(summary.all.equal))});
  }
  return table;
}

ReportTable failures(const EvaluationSummary& summary) {
  ReportTable table;
  table.title = "Why programs failed";
  table.columns = {"outcome", "reason", "programs", "for example", ""};
  table.numbers_from = table.columns.size();
  std::vector<std::pair<std::pair<std::string, std::string>, FailureCount>> sorted(summary.failures.begin(),
                                                                                   summary.failures.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  for (const auto& [key, failure] : sorted) {
    table.rows.push_back({key.first, key.second, std::to_string(failure.count), failure.example, failure.reason});
  }
  return table;
}

ReportTable pairs(std::string title, std::string first, std::string second,
                  const std::vector<std::pair<std::string, std::string>>& rows) {
  ReportTable table;
  table.title = std::move(title);
  table.columns = {std::move(first), std::move(second)};
  table.numbers_from = table.columns.size();
  for (const auto& [a, b] : rows) table.rows.push_back({a, b});
  return table;
}

}  // namespace

Report report_of(const Evaluation& evaluation, const std::string& name) {
  const EvaluationSummary& summary = evaluation.summary;
  Report out;
  out.title = concat("Answers of ", name);
  out.lines.push_back(concat(summary.answered_cases, " of ", summary.cases, " cases answered, ", summary.attempts,
                             " attempts, ", summary.all.programs, " programs; ", summary.successes,
                             " attempts succeeded (", percent(summary.successes, summary.attempts), ")."));
  const bool is_run = evaluation.is_run;
  if (!is_run) {
    out.lines.emplace_back(
        "Programs were judged and not run. --device auto compiles and runs them as well: on a GPU with NVRTC, "
        "otherwise "
        "on this CPU.");
  } else {
    out.lines.push_back(concat("Built with ", evaluation.built_with, "."));
  }
  if (is_run && summary.all.not_run > 0) {
    out.lines.push_back(concat(summary.all.not_run,
                               " built programs were not run to their end; they count as equal where the judge finds "
                               "them so without running them."));
  }
  out.lines.push_back(concat(summary.strategies_used(), " of ", strategy_names().size(), " strategies ",
                             summary.strategies_used() == 1 ? "is" : "are", " named by an equal answer."));
  if (summary.completion_tokens > 0) {
    out.lines.push_back(
        concat("Tokens: ", summary.prompt_tokens, " of questions, ", summary.completion_tokens, " of answers."));
  }
  out.figures = figures_of(summary, is_run);
  out.tables = {stages(summary, is_run),
                passes(summary),
                named("By level", "level", summary.by_level, {"graph", "operator", "memory", "math"}, is_run),
                named("By difficulty", "difficulty", summary.by_difficulty, {"difficult", "medium", "easy"}, is_run),
                grades(summary),
                strategies(summary, is_run),
                failures(summary)};
  std::vector<std::pair<std::string, std::string>> deviations;
  for (const auto& [what, count] : summary.deviations) deviations.emplace_back(what, std::to_string(count));
  out.tables.push_back(pairs("Not as asked for, and read nevertheless", "what", "attempts", deviations));
  out.tables.push_back(pairs("Not answered", "case", "reason", evaluation.unanswered));
  out.tables.push_back(pairs("Not judged", "case", "reason", evaluation.unusable));
  std::erase_if(out.tables, [](const ReportTable& table) { return table.rows.empty(); });
  return out;
}

}  // namespace steptp
