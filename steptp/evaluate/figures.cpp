#include "steptp/evaluate/figures.h"

#include <algorithm>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/report/plots.h"

namespace steptp {

namespace {

constexpr std::size_t kMostReasons = 12;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t last(const std::vector<std::uint64_t>& counts) { return counts.empty() ? 0 : counts.back(); }

/// How many programs passed each test and all before it, in percent of all.
Plot stage_plot(const EvaluationSummary& summary, bool is_run) {
  Plot plot{"How far programs came: share that passed each test and all above it", {}, {{"programs", {}}}, "%"};
  const StageCounts& all = summary.all;
  const auto add = [&](const char* name, std::uint64_t count) {
    plot.labels.emplace_back(name);
    plot.series[0].values.push_back(share(count, all.programs));
  };
  add("different", all.different);
  add(is_run ? "builds" : "can be lowered", all.build);
  if (is_run) add("runs, in all trials", last(all.execute));
  add("equal", last(all.equal));
  add("equal and safe", all.safe);
  return plot;
}

Plot pass_plot(const EvaluationSummary& summary) {
  Plot plot{"pass@k: the chance that one of k attempts succeeds", {}, {{"pass@k", {}}}, "%"};
  for (const PassAt& one : summary.pass_at) {
    plot.labels.push_back(concat("k = ", one.k));
    plot.series[0].values.push_back(100 * one.value);
  }
  return plot;
}

/// What was tried and what of it is equal, for the names in this order that occur.
Plot named_plot(std::string title, const std::map<std::string, StageCounts>& counts,
                const std::vector<std::string>& order) {
  Plot plot{std::move(title), {}, {{"programs", {}}, {"equal", {}}}, ""};
  for (const std::string& name : order) {
    const auto at = counts.find(name);
    if (at == counts.end()) continue;
    plot.labels.push_back(name);
    plot.series[0].values.push_back(static_cast<double>(at->second.programs));
    plot.series[1].values.push_back(static_cast<double>(last(at->second.equal)));
  }
  return plot;
}

/// The strategies that answers name, the most frequent first.
Plot strategy_plot(const EvaluationSummary& summary) {
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [name, counts] : summary.by_strategy) order.emplace_back(counts.programs, name);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> names;
  for (auto& [count, name] : order) names.push_back(std::move(name));
  return named_plot("Strategies that answers name, and how many of these programs are equal", summary.by_strategy,
                    names);
}

Plot failure_plot(const EvaluationSummary& summary) {
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [key, failure] : summary.failures) {
    const auto& [outcome, reason] = key;
    order.emplace_back(failure.count, outcome == reason ? outcome : concat(outcome, ": ", reason));
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Plot plot{"Why programs failed", {}, {{"programs", {}}}, ""};
  for (std::size_t i = 0; i < std::min(order.size(), kMostReasons); ++i) {
    plot.labels.push_back(order[i].second);
    plot.series[0].values.push_back(static_cast<double>(order[i].first));
  }
  return plot;
}

}  // namespace

std::vector<std::string> figures_of(const EvaluationSummary& summary, bool is_run) {
  std::vector<std::string> out;
  if (summary.all.programs == 0) return out;
  out.push_back(lying_bars(stage_plot(summary, is_run)));
  // A single k says nothing that the first plot does not.
  if (summary.pass_at.size() > 1) out.push_back(upright_bars(pass_plot(summary)));
  for (const Plot& plot : {named_plot("Difficulty of the strategies that answers name", summary.by_difficulty,
                                      {"easy", "medium", "difficult"}),
                           named_plot("Level of the strategies that answers name", summary.by_level,
                                      {"graph", "operator", "memory", "math"})}) {
    if (!plot.labels.empty()) out.push_back(upright_bars(plot));
  }
  for (const Plot& plot : {strategy_plot(summary), failure_plot(summary)}) {
    if (!plot.labels.empty()) out.push_back(lying_bars(plot));
  }
  return out;
}

}  // namespace steptp
