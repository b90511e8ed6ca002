#pragma once

// How good a cost model is on types of programs that it never saw.

#include <string>
#include <vector>

#include "steptp/costs/measured_table.h"

namespace steptp::costs {

/// One program: how well its plans are ordered, by the model and by the analytic model alone.
struct GroupQuality {
  std::size_t group = 0;
  std::size_t plans = 0;
  double spearman = 0;
  double analytic_spearman = 0;
  /// The fastest of the eighth that is expected to be fastest (8 of 64), over the fastest of all.
  double best_of_eighth = 1;
  double analytic_best_of_eighth = 1;
};

struct Quality {
  std::vector<GroupQuality> groups;
  double median_spearman = 0;
  double analytic_median_spearman = 0;
  double share_close = 0;  ///< of the programs: the best of the eighth is within 1.15 of the best
  double analytic_share_close = 0;
  double mean_best = 1;  ///< geometric mean of the best of the eighth over the best
  double analytic_mean_best = 1;
  double median_error = 0;  ///< of the logarithm of predicted over measured seconds, without its sign
  double analytic_median_error = 0;
};

/// The rank correlation of two lists; equal values share their rank. 0 where one of them is constant.
[[nodiscard]] double spearman(const std::vector<double>& a, const std::vector<double>& b);

/// Trains `folds` models, each without the types of its fold, and asks each about these. Of a program the first 64
/// plans count; programs with fewer than 16 are left out.
[[nodiscard]] Quality cross_validate(const MeasuredTable& table, const TrainingOptions& options, std::size_t folds,
                                     unsigned jobs);

/// For docs: in words and tables, Markdown.
[[nodiscard]] std::string to_markdown(const Quality& quality, const MeasuredTable& table);

}  // namespace steptp::costs
