#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/certify/given.h"
#include "steptp/certify/safe_range.h"
#include "steptp/ir/program.h"

namespace steptp::certify {

/// A good input at which `after` is numerically worse than `before` allows, so that it can be kept and run again.
struct UnsafeExample {
  std::string output;
  std::vector<std::int64_t> index;
  std::string what;  ///< what goes wrong by error bounds, as SafetyMeasure::fault says it
  GivenInputs given;
  SafeRange range;  ///< the magnitudes that good inputs have
};

/// Both programs at the inputs of an example, by certified bounds and without the search that found them.
struct UnsafeRun {
  bool is_good = false;             ///< the input is one at which `after` must be as good as `before`
  std::optional<std::string> what;  ///< what goes wrong there; nothing where nothing does
  std::string reason;               ///< where it cannot be run, or is no good input: why
};
[[nodiscard]] UnsafeRun run_unsafe(const Program& before, const Program& after, const UnsafeExample& example);

}  // namespace steptp::certify
