#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "steptp/costs/cost_model.h"

namespace steptp::costs {

/// A measured program.
struct MeasuredCase {
  ProgramCase program;
  double seconds = 0;
  std::size_t group = 0;  ///< of plans of one root
  double weight = 1;
};

struct TrainingOptions {
  std::size_t trees = 400;
  std::size_t depth = 4;
  double rate = 0.05;           ///< how much of each leaf is believed
  double smoothing = 4;         ///< as if so many rows without error were in each leaf
  double least_weight = 4;      ///< of the rows of a leaf
  std::size_t thresholds = 48;  ///< for each feature
  std::uint64_t row_percent = 70;
  std::uint64_t feature_percent = 50;
  double level = 0.3;  ///< how much of what all plans of a root have in common counts: 0 learns their order alone
  std::uint64_t seed = 1;
};

/// More trees for a model, each fitted to what the ones before it leave over: the error is the logarithm of predicted
/// over measured seconds of the whole program, and each kernel is to blame by its share. The same cases in the same
/// order give the same trees.
void add_trees(CostModel& model, const std::vector<MeasuredCase>& cases, const TrainingOptions& options);

}  // namespace steptp::costs
