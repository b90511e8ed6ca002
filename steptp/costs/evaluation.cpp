#include "steptp/costs/evaluation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <thread>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"

namespace steptp::costs {

namespace {

constexpr std::size_t kMostPlans = 64;
constexpr std::size_t kLeastPlans = 16;
constexpr std::size_t kTopPart = 8;
constexpr double kClose = 1.15;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k) out[order[k]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return out;
}

std::string fixed(double value, int digits) {
  char out[32];
  std::snprintf(out, sizeof out, "%.*f", digits, value);
  return out;
}

/// The fastest of those that are expected to be fastest, over the fastest of all.
double best_of_top(const std::vector<double>& expected, const std::vector<double>& measured) {
  std::vector<std::size_t> order(expected.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return expected[a] < expected[b]; });
  double best = measured[order.front()];
  for (std::size_t i = 0; i < order.size() / kTopPart; ++i) best = std::min(best, measured[order[i]]);
  return best / *std::min_element(measured.begin(), measured.end());
}

/// What was said of the plans of one program, and what they took.
struct Said {
  std::vector<double> model;
  std::vector<double> analytic;
  std::vector<double> measured;
};

std::size_t fold_of(const MeasuredGroup& group, std::size_t folds) { return hash_bytes(group.type) % folds; }

/// What a model that has not seen the types of a fold says of them.
std::map<std::size_t, Said> ask(const MeasuredTable& table, const TrainingOptions& options, std::size_t folds,
                                std::size_t fold) {
  std::vector<MeasuredCase> known;
  for (const MeasuredCase& one : table.cases) {
    if (fold_of(table.groups[one.group], folds) != fold) known.push_back(one);
  }
  CostModel model;
  add_trees(model, known, options);
  std::map<std::size_t, Said> out;
  for (const MeasuredCase& one : table.cases) {
    if (fold_of(table.groups[one.group], folds) != fold) continue;
    Said& said = out[one.group];
    if (said.measured.size() == kMostPlans) continue;
    said.model.push_back(model.seconds(one.program));
    said.analytic.push_back(one.program.expected());
    said.measured.push_back(one.seconds);
  }
  return out;
}

GroupQuality quality_of(std::size_t group, const Said& said) {
  GroupQuality out{group, said.measured.size()};
  out.spearman = spearman(said.model, said.measured);
  out.analytic_spearman = spearman(said.analytic, said.measured);
  out.best_of_eighth = best_of_top(said.model, said.measured);
  out.analytic_best_of_eighth = best_of_top(said.analytic, said.measured);
  return out;
}

double median_of(const Quality& quality, double GroupQuality::*member) {
  std::vector<double> values;
  for (const GroupQuality& group : quality.groups) values.push_back(group.*member);
  return median(std::move(values));
}

double geometric_mean(const Quality& quality, double GroupQuality::*member) {
  double sum = 0;
  for (const GroupQuality& group : quality.groups) sum += std::log(group.*member);
  return quality.groups.empty() ? 1 : std::exp(sum / static_cast<double>(quality.groups.size()));
}

double share_close(const Quality& quality, double GroupQuality::*member) {
  double close = 0;
  for (const GroupQuality& group : quality.groups) close += group.*member <= kClose ? 1 : 0;
  return quality.groups.empty() ? 0 : close / static_cast<double>(quality.groups.size());
}

}  // namespace

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> first = ranks(a);
  const std::vector<double> second = ranks(b);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double together = 0;
  double of_first = 0;
  double of_second = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    together += (first[i] - mean) * (second[i] - mean);
    of_first += (first[i] - mean) * (first[i] - mean);
    of_second += (second[i] - mean) * (second[i] - mean);
  }
  return of_first > 0 && of_second > 0 ? together / std::sqrt(of_first * of_second) : 0;
}

Quality cross_validate(const MeasuredTable& table, const TrainingOptions& options, std::size_t folds, unsigned jobs) {
  std::vector<std::map<std::size_t, Said>> answers(folds);
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t fold = next++; fold < folds; fold = next++) answers[fold] = ask(table, options, folds, fold);
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::min<std::size_t>(jobs, folds); ++i) threads.emplace_back(take);
    take();
  }
  Quality out;
  std::vector<double> errors;
  std::vector<double> analytic_errors;
  for (const auto& answer : answers) {
    for (const auto& [group, said] : answer) {
      for (std::size_t i = 0; i < said.measured.size(); ++i) {
        errors.push_back(std::fabs(std::log(said.model[i] / said.measured[i])));
        analytic_errors.push_back(std::fabs(std::log(said.analytic[i] / said.measured[i])));
      }
      if (said.measured.size() >= kLeastPlans) out.groups.push_back(quality_of(group, said));
    }
  }
  std::sort(out.groups.begin(), out.groups.end(), [](const auto& a, const auto& b) { return a.group < b.group; });
  out.median_spearman = median_of(out, &GroupQuality::spearman);
  out.analytic_median_spearman = median_of(out, &GroupQuality::analytic_spearman);
  out.share_close = share_close(out, &GroupQuality::best_of_eighth);
  out.analytic_share_close = share_close(out, &GroupQuality::analytic_best_of_eighth);
  out.median_error = median(std::move(errors));
  out.analytic_median_error = median(std::move(analytic_errors));
  out.mean_best = geometric_mean(out, &GroupQuality::best_of_eighth);
  out.analytic_mean_best = geometric_mean(out, &GroupQuality::analytic_best_of_eighth);
  return out;
}

std::string to_markdown(const Quality& quality, const MeasuredTable& table) {
  const auto row = [](std::string_view what, const std::string& model, const std::string& analytic) {
    return concat("| ", what, " | ", model, " | ", analytic, " |\n");
  };
  const auto percent = [](double share) { return concat(fixed(100 * share, 0), " %"); };
  std::string out = concat("| of ", quality.groups.size(), " programs, ", table.cases.size(),
                           " plans in all | cost model | analytic alone |\n|---|---|---|\n");
  append(out, row("median rank correlation within a program", fixed(quality.median_spearman, 3),
                  fixed(quality.analytic_median_spearman, 3)));
  append(out, row("best of the eighth that is expected to be fastest within 1.15 of the best",
                  percent(quality.share_close), percent(quality.analytic_share_close)));
  append(out, row("that one over the best, geometric mean", fixed(quality.mean_best, 3),
                  fixed(quality.analytic_mean_best, 3)));
  append(out, row("median error of a time", percent(std::exp(quality.median_error) - 1),
                  percent(std::exp(quality.analytic_median_error) - 1)));
  append(out,
         "\n| program | dtype | plans | correlation | analytic | best of an eighth | analytic "
         "|\n|---|---|---|---|---|---|---|\n");
  for (const GroupQuality& group : quality.groups) {
    const MeasuredGroup& one = table.groups[group.group];
    append(out, "| ", one.type, " | ", one.dtype, " | ", group.plans, " | ", fixed(group.spearman, 2), " | ",
           fixed(group.analytic_spearman, 2), " | ", fixed(group.best_of_eighth, 2), " | ",
           fixed(group.analytic_best_of_eighth, 2), " |\n");
  }
  return out;
}

}  // namespace steptp::costs
