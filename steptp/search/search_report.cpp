#include "steptp/search/search_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "steptp/base/text.h"
#include "steptp/estimate/estimate.h"
#include "steptp/report/plots.h"

namespace steptp::search {

namespace {

/// What was published for the model of 32 billion parameters, over vanilla programs.
struct Published {
  std::string_view algorithm;
  double average;
  double median;
  double most;
  double samples;
  int most_samples;
};
constexpr std::array<Published, 7> kPublished = {{{"greedy", 20.79, 1.78, 193.55, 35.91, 41},
                                                  {"beam", 42.90, 4.57, 561.82, 103.17, 114},
                                                  {"bfs", 18.27, 2.11, 173.13, 28.27, 31},
                                                  {"dfs", 20.97, 1.68, 242.62, 28.11, 31},
                                                  {"mcts", 24.96, 4.54, 171.9, 17.41, 21},
                                                  {"chain", 23.62, 2.05, 286.92, 16.63, 21},
                                                  {"chain-without-parent", 20.25, 4.96, 96.14, 15.95, 21}}};

constexpr std::array<std::string_view, 6> kOthers = {"eager",         "compile",      "eager_graph",
                                                     "compile_graph", "best_of_four", "vendor"};

std::string text_at(const Json& row, std::string_view key) {
  const Json* value = row.find(key);
  return value && value->as_string() ? *value->as_string() : std::string();
}

std::optional<double> number_at(const Json* json, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) json = json ? json->find(key) : nullptr;
  return json && json->is_number() ? std::optional(json->number()) : std::nullopt;
}

std::string short_text(std::optional<double> value) {
  if (!value) return "-";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, *value >= 100 ? "%.0f" : "%.3g", *value);
  return buffer;
}

std::string time_text(std::optional<double> seconds) { return seconds ? seconds_text(*seconds) : "-"; }

bool has_flag(const Json& row, std::string_view wanted) {
  const Json* flags = row.find("flags");
  if (!flags || !flags->as_array()) return false;
  return std::any_of(flags->as_array()->begin(), flags->as_array()->end(),
                     [&](const Json& flag) { return flag.as_string() && *flag.as_string() == wanted; });
}

std::size_t size_at(const Json& row, std::string_view key) {
  const Json* value = row.find(key);
  return value && value->as_array() ? value->as_array()->size() : 0;
}

/// A search that finished, with plausible times.
bool counts(const Json& row) {
  const std::string stop = text_at(row, "stop");
  const bool has_ended = stop != "interrupted" && !stop.starts_with("no-") ? true : stop == "no-progress";
  return has_ended && !has_flag(row, "below-floor") && number_at(&row, {"speedup_over_vanilla"}).has_value();
}

/// What searches have to share to be put together.
std::string group_of(const Json& row) {
  const Json* published = row.find("published");
  const bool is_published = published && published->as_bool() && *published->as_bool();
  return concat(text_at(row, "algorithm"), is_published ? ", as published" : "", " | ", text_at(row, "proposer"), " | ",
                text_at(row, "device"));
}

struct Numbers {
  std::vector<double> values;

  [[nodiscard]] std::optional<double> mean() const {
    if (values.empty()) return std::nullopt;
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  [[nodiscard]] std::optional<double> geomean() const {
    if (values.empty()) return std::nullopt;
    double sum = 0;
    for (const double value : values) sum += std::log(value);
    return std::exp(sum / static_cast<double>(values.size()));
  }
  [[nodiscard]] std::optional<double> median() const {
    if (values.empty()) return std::nullopt;
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  [[nodiscard]] std::optional<double> most() const {
    if (values.empty()) return std::nullopt;
    return *std::max_element(values.begin(), values.end());
  }
  [[nodiscard]] std::string share_from_one() const {
    if (values.empty()) return "-";
    const auto good = std::count_if(values.begin(), values.end(), [](double value) { return value >= 1; });
    return concat(static_cast<std::int64_t>(good), " of ", values.size());
  }
};

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

ReportTable each_search(const std::vector<Json>& rows) {
  ReportTable table;
  table.title = "Each search";
  table.note =
      "Times of analytic devices are expected ones; all others were measured. Over four: the fastest of eager PyTorch "
      "and torch.compile, each plain and as a CUDA graph. Share: of the time that no program could be faster than.";
  table.columns = {"program", "dtype",   "class",      "algorithm", "device",       "ended by",  "verdict",
                   "flags",   "samples", "as it came", "now",       "over vanilla", "over four", "share"};
  table.numbers_from = 8;
  for (const Json& row : rows) {
    const Json* safe = row.find("safe");
    const bool is_safe = safe && safe->as_bool() && *safe->as_bool();
    std::string flags;
    if (const Json* all = row.find("flags"); all && all->as_array())
      flags = join(*all->as_array(), ", ", [](const Json& flag) { return *flag.as_string(); });
    table.rows.push_back(
        {text_at(row, "program"), text_at(row, "dtype"), text_at(row, "class"),
         concat(text_at(row, "algorithm"), " with ", text_at(row, "proposer")), text_at(row, "device"),
         text_at(row, "stop"), concat(text_at(row, "verdict"), is_safe ? ", safe" : ""), or_dash(flags),
         short_text(number_at(&row, {"samples"})), time_text(number_at(&row, {"times", "vanilla", "median"})),
         time_text(number_at(&row, {"times", "ours", "median"})), short_text(number_at(&row, {"speedup_over_vanilla"})),
         short_text(number_at(&row, {"ratios", "best_of_four"})), short_text(number_at(&row, {"floor_share"}))});
  }
  return table;
}

using Groups = std::map<std::string, std::vector<const Json*>>;

ReportTable per_algorithm(const Groups& groups) {
  ReportTable table;
  table.title = "Per algorithm, over vanilla";
  table.note =
      "The published figures are those of another model, device and set of programs. Efficiency is average over "
      "samples. A vanilla program runs on one block of threads, so that being faster than it proves little.";
  table.columns = {"algorithm | proposer | device",
                   "searches",
                   "average",
                   "median",
                   "most",
                   "geomean",
                   "samples",
                   "most samples",
                   "strategies",
                   "most strategies",
                   "efficiency"};
  for (const auto& [name, rows] : groups) {
    Numbers ratios;
    Numbers samples;
    Numbers strategies;
    for (const Json* row : rows) {
      ratios.values.push_back(*number_at(row, {"speedup_over_vanilla"}));
      samples.values.push_back(number_at(row, {"samples"}).value_or(0));
      strategies.values.push_back(static_cast<double>(size_at(*row, "strategies")));
    }
    table.rows.push_back({name, concat(rows.size()), short_text(ratios.mean()), short_text(ratios.median()),
                          short_text(ratios.most()), short_text(ratios.geomean()), short_text(samples.mean()),
                          short_text(samples.most()), short_text(strategies.mean()), short_text(strategies.most()),
                          short_text(*ratios.mean() / *samples.mean())});
  }
  for (const Published& one : kPublished) {
    table.rows.push_back({concat(one.algorithm, " | published"), "-", short_text(one.average), short_text(one.median),
                          short_text(one.most), "-", short_text(one.samples), concat(one.most_samples), "-", "-",
                          short_text(one.average / one.samples)});
  }
  return table;
}

ReportTable over_others(const Groups& groups) {
  ReportTable table;
  table.title = "Over PyTorch";
  table.note = "Only searches whose rows have that time: geometric mean, and how many are at least as fast.";
  table.columns = {"algorithm | proposer | device", "over", "searches", "geomean", "median", "at least 1"};
  table.numbers_from = 2;
  for (const auto& [name, rows] : groups) {
    for (const std::string_view other : kOthers) {
      Numbers ratios;
      for (const Json* row : rows) {
        const auto value =
            other == "best_of_four" ? number_at(row, {"ratios", other}) : number_at(row, {"ratios", other, "value"});
        if (value) ratios.values.push_back(*value);
      }
      if (ratios.values.empty()) continue;
      table.rows.push_back({name, std::string(other), concat(ratios.values.size()), short_text(ratios.geomean()),
                            short_text(ratios.median()), ratios.share_from_one()});
    }
  }
  return table;
}

ReportTable by_class(const Groups& groups) {
  ReportTable table;
  table.title = "By class and dtype, over vanilla";
  table.columns = {"algorithm | proposer | device", "class", "dtype", "searches", "geomean", "median"};
  table.numbers_from = 3;
  for (const auto& [name, rows] : groups) {
    std::map<std::pair<std::string, std::string>, Numbers> parts;
    for (const Json* row : rows)
      parts[{text_at(*row, "class"), text_at(*row, "dtype")}].values.push_back(
          *number_at(row, {"speedup_over_vanilla"}));
    for (const auto& [part, ratios] : parts) {
      table.rows.push_back({name, part.first, part.second, concat(ratios.values.size()), short_text(ratios.geomean()),
                            short_text(ratios.median())});
    }
  }
  return table;
}

/// One figure for each program, with the curves of all its searches on one device.
std::vector<std::string> curves_of(const std::vector<Json>& rows) {
  std::map<std::string, CurvePlot> plots;
  for (const Json& row : rows) {
    const std::string name = concat(text_at(row, "program"), " on ", text_at(row, "device"));
    CurvePlot& plot = plots[name];
    plot.title = name;
    plot.label = [](double seconds) { return seconds_text(seconds); };
    plot.end = std::max(plot.end, number_at(&row, {"samples"}).value_or(0));
    plot.floor = number_at(&row, {"times", "floor"}).value_or(plot.floor);
    StepCurve curve{concat(text_at(row, "algorithm"), " with ", text_at(row, "proposer")), {}};
    if (const Json* points = row.find("curve"); points && points->as_array()) {
      for (const Json& point : *points->as_array()) {
        if (!point.as_array() || point.as_array()->size() != 2) continue;
        curve.points.emplace_back((*point.as_array())[0].number(), (*point.as_array())[1].number());
      }
    }
    plot.curves.push_back(std::move(curve));
  }
  std::vector<std::string> out;
  for (const auto& [name, plot] : plots) out.push_back(falling_curves(plot));
  return out;
}

}  // namespace

Report report_of(const std::vector<Json>& rows) {
  Report out;
  out.title = "Searches";
  Groups groups;
  std::size_t counted = 0;
  for (const Json& row : rows) {
    if (!counts(row)) continue;
    groups[group_of(row)].push_back(&row);
    ++counted;
  }
  out.lines.push_back(concat(rows.size(), rows.size() == 1 ? " search, of which " : " searches, of which ", counted,
                             " finished with plausible times; only these are in averages."));
  out.tables = {each_search(rows), per_algorithm(groups), over_others(groups), by_class(groups)};
  std::erase_if(out.tables, [](const ReportTable& table) { return table.rows.empty(); });
  out.figures = curves_of(rows);
  return out;
}

}  // namespace steptp::search
