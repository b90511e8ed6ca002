#pragma once

// Measured times of drawn plans, which the cost model learns from.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "steptp/planner/plan_space.h"
#include "steptp/search/roles.h"
#include "steptp/text/document.h"

namespace steptp::search {

/// Different plans of one space: some are drawn whole, the others are the plan that is expected to be fastest with one
/// to four edges after it, so that what a search looks at is well covered.
class DrawnPlans {
 public:
  /// The space outlives it.
  DrawnPlans(const PlanSpace& space, std::uint64_t seed) : space_(space), seed_(seed) {}

  /// Of each number always the same. Expected seconds come from the sum over its groups.
  struct Drawn {
    WholePlan plan;
    double expected = 0;
  };
  [[nodiscard]] Drawn plan(std::int64_t number) const;

 private:
  const PlanSpace& space_;
  std::uint64_t seed_;
};

/// What is measured of one program.
struct MeasurementOrder {
  const Document* root = nullptr;
  std::string target;
  std::int64_t samples = 64;
  std::set<std::int64_t> done;  ///< numbers of plans that have a row already
  std::function<bool(const Json& row)> keep;
  std::function<bool()> go_on;
};

/// A program that was drawn before, with its number.
struct DrawnProgram {
  std::int64_t number = 0;
  std::string leir;
  double expected = 0;
};

/// Measures programs that were drawn elsewhere, with the signature of the root; rows as below.
[[nodiscard]] bool measure_drawn(const MeasurementOrder& order, const std::vector<DrawnProgram>& programs,
                                 SearchDevice& device);

/// Draws plans, makes their programs, and measures those that are worth it: what fails `check`, is expected to take
/// very long or makes a program that is known gets a row without a time. A row has "number", "outcome", and where there
/// is a time "leir", "seconds", "p10", "p90", "runs", "expected". False where the device is gone or `keep` says so.
[[nodiscard]] bool measure_plans(const MeasurementOrder& order, const PlanSpace& space, std::uint64_t seed,
                                 const Device* limits, SearchDevice& device);

}  // namespace steptp::search
