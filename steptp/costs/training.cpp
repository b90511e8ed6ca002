// Gradient boosting by second derivatives. A row is a kernel of a measured program; its gradient is the program's error
// times the kernel's share of the predicted time.
#include "steptp/costs/training.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "steptp/base/random.h"

namespace steptp::costs {

namespace {

struct Row {
  const Features* features = nullptr;
  double expected = 0;
  std::size_t program = 0;
  double correction = 0;
  double gradient = 0;
  double curvature = 0;
};

struct Split {
  std::size_t feature = 0;
  std::size_t bin = 0;
  double gain = 0;
};

struct Sum {
  double gradient = 0;
  double curvature = 0;
};

class Booster {
 public:
  Booster(CostModel& model, const std::vector<MeasuredCase>& cases, const TrainingOptions& options)
      : model_(model), cases_(cases), options_(options), random_(options.seed) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (const KernelCase& kernel : cases[i].program.kernels)
        rows_.push_back({&kernel.features, kernel.expected, i, model.correction(kernel.features)});
    }
    choose_thresholds();
  }

  void run() {
    if (rows_.empty()) return;
    for (std::size_t i = 0; i < options_.trees; ++i) {
      find_gradients();
      Tree tree = grow();
      for (Row& row : rows_) row.correction += static_cast<double>(value_of(tree, *row.features));
      model_.trees.push_back(std::move(tree));
    }
  }

 private:
  void choose_thresholds() {
    bins_.assign(kFeatures, std::vector<std::uint8_t>(rows_.size()));
    thresholds_.resize(kFeatures);
    for (std::size_t f = 0; f < kFeatures; ++f) {
      std::vector<float> values;
      for (const Row& row : rows_) values.push_back((*row.features)[f]);
      std::sort(values.begin(), values.end());
      std::vector<float>& chosen = thresholds_[f];
      for (std::size_t i = 1; i <= options_.thresholds; ++i) {
        const float value = values.empty() ? 0 : values[(values.size() - 1) * i / (options_.thresholds + 1)];
        if ((chosen.empty() || value > chosen.back()) && value < values.back()) chosen.push_back(value);
      }
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        const auto at = std::lower_bound(chosen.begin(), chosen.end(), (*rows_[i].features)[f]);
        bins_[f][i] = static_cast<std::uint8_t>(at - chosen.begin());
      }
    }
  }

  void find_gradients() {
    std::vector<double> predicted(cases_.size());
    for (std::size_t i = 0; i < cases_.size(); ++i) predicted[i] = cases_[i].program.besides;
    for (const Row& row : rows_) predicted[row.program] += row.expected * std::exp(row.correction);
    std::map<std::size_t, Sum> groups;
    std::vector<double> errors(cases_.size());
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      errors[i] = std::log(predicted[i] / cases_[i].seconds);
      Sum& group = groups[cases_[i].group];
      group.gradient += errors[i] * cases_[i].weight;
      group.curvature += cases_[i].weight;
    }
    for (Row& row : rows_) {
      const MeasuredCase& one = cases_[row.program];
      const Sum& group = groups[one.group];
      const double error = errors[row.program] - (1 - options_.level) * group.gradient / group.curvature;
      const double share = row.expected * std::exp(row.correction) / predicted[row.program];
      row.gradient = one.weight * error * share;
      row.curvature = one.weight * share * share;
    }
  }

  Tree grow() {
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (random_.chance(options_.row_percent, 100)) taken.push_back(i);
    }
    features_.clear();
    for (std::size_t f = 0; f < kFeatures; ++f) {
      if (!thresholds_[f].empty() && random_.chance(options_.feature_percent, 100)) features_.push_back(f);
    }
    Tree tree;
    grow_at(tree, taken, options_.depth);
    return tree;
  }

  [[nodiscard]] Sum sum_of(const std::vector<std::size_t>& rows) const {
    Sum out;
    for (const std::size_t row : rows) {
      out.gradient += rows_[row].gradient;
      out.curvature += rows_[row].curvature;
    }
    return out;
  }

  [[nodiscard]] double worth(const Sum& sum) const {
    return sum.gradient * sum.gradient / (sum.curvature + options_.smoothing);
  }

  [[nodiscard]] std::optional<Split> best_split(const std::vector<std::size_t>& rows, const Sum& all) const {
    Split best;
    std::vector<Sum> bins;
    for (const std::size_t f : features_) {
      bins.assign(thresholds_[f].size() + 1, {});
      for (const std::size_t row : rows) {
        Sum& bin = bins[bins_[f][row]];
        bin.gradient += rows_[row].gradient;
        bin.curvature += rows_[row].curvature;
      }
      Sum low;
      for (std::size_t b = 0; b + 1 < bins.size(); ++b) {
        low.gradient += bins[b].gradient;
        low.curvature += bins[b].curvature;
        const Sum high{all.gradient - low.gradient, all.curvature - low.curvature};
        if (low.curvature < options_.least_weight || high.curvature < options_.least_weight) continue;
        const double gain = worth(low) + worth(high) - worth(all);
        if (gain > best.gain + 1e-9) best = {f, b, gain};
      }
    }
    return best.gain > 0 ? std::optional(best) : std::nullopt;
  }

  void grow_at(Tree& tree, const std::vector<std::size_t>& rows, std::size_t depth) {
    const Sum all = sum_of(rows);
    const auto split = depth > 0 ? best_split(rows, all) : std::nullopt;
    if (!split) {
      const double value = -options_.rate * all.gradient / (all.curvature + options_.smoothing);
      tree.push_back({-1, 0, 0, static_cast<float>(value)});
      return;
    }
    std::vector<std::size_t> low;
    std::vector<std::size_t> high;
    for (const std::size_t row : rows) (bins_[split->feature][row] <= split->bin ? low : high).push_back(row);
    const std::size_t at = tree.size();
    tree.push_back({static_cast<std::int32_t>(split->feature), thresholds_[split->feature][split->bin], 0, 0});
    grow_at(tree, low, depth - 1);
    tree[at].other = static_cast<std::uint32_t>(tree.size());
    grow_at(tree, high, depth - 1);
  }

  CostModel& model_;
  const std::vector<MeasuredCase>& cases_;
  const TrainingOptions& options_;
  Random random_;
  std::vector<Row> rows_;
  std::vector<std::vector<float>> thresholds_;   ///< of each feature, ascending
  std::vector<std::vector<std::uint8_t>> bins_;  ///< of each feature and row: how many thresholds are below it
  std::vector<std::size_t> features_;            ///< that the tree may ask for
};

}  // namespace

void add_trees(CostModel& model, const std::vector<MeasuredCase>& cases, const TrainingOptions& options) {
  Booster(model, cases, options).run();
}

}  // namespace steptp::costs
