#pragma once

// What a program takes, in seconds: the analytic model, corrected for each kernel by trees that learned from
// measurements.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/costs/features.h"

namespace steptp::costs {

/// A question or an answer of a tree.
struct TreeNode {
  std::int32_t feature = -1;  ///< below zero: a leaf
  float threshold = 0;        ///< at most this goes on at the next node, anything else at `other`
  std::uint32_t other = 0;
  float value = 0;  ///< of a leaf
  bool operator==(const TreeNode&) const = default;
};
using Tree = std::vector<TreeNode>;

[[nodiscard]] float value_of(const Tree& tree, const Features& features);

/// Without trees it is the analytic model alone.
class CostModel {
 public:
  std::string device;  ///< what its measurements were made on: the name of the rates
  Json card;           ///< where it comes from
  std::vector<Tree> trees;

  /// The logarithm of what a kernel takes over what the analytic model says.
  [[nodiscard]] double correction(const Features& features) const;
  [[nodiscard]] double seconds(const ProgramCase& program) const;
};

/// What a program takes that `check` finds ok: by the model, or without one by the analytic model alone. The text says
/// why nobody can tell.
[[nodiscard]] Result<double, std::string> expected_seconds(const Program& program, const DeviceRates& device,
                                                           const CostModel* model);

[[nodiscard]] Json to_json(const CostModel& model);
/// The text says what is damaged, or that the model has other features than this program.
[[nodiscard]] Result<CostModel, std::string> cost_model_from_json(const Json& json);

/// The model that is shipped for a device; null where there is none.
[[nodiscard]] const CostModel* shipped_cost_model(std::string_view device);

}  // namespace steptp::costs
