#pragma once

// Walks of several verified steps, for process rewards: each step is judged against the program that the walk starts
// from. In some the last step has a slip.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/exports/near_miss.h"
#include "steptp/recipe/recipe.h"

namespace steptp::dataset {

struct TrajectoryStep {
  std::string leir;
  std::string strategy;
  std::string reasoning;
};

struct Trajectory {
  Recipe recipe;  ///< of the right steps, and of what the last would have been
  std::vector<TrajectoryStep> steps;
  std::optional<NearMiss> slip;  ///< what the last step is, where it is wrong
};

inline constexpr std::size_t kLeastSteps = 3;
inline constexpr std::size_t kMostSteps = 8;

/// The seed of the wording of a step.
[[nodiscard]] std::uint64_t phrasing_of_step(const std::string& key, std::size_t step);

/// From three to eight steps, as many as the key says and can be found; nothing where there are fewer. Every state is
/// equal to the root and safe, and of another plain form than those before. `key` names the program.
[[nodiscard]] std::optional<Trajectory> make_trajectory(const Program& root, const std::string& key,
                                                        const NearMissOptions& options);

}  // namespace steptp::dataset
