#pragma once

// Wrong answers that look right: a verified step with a slip in it (slips.h), which the judge says makes a difference.

#include <cstdint>
#include <optional>
#include <string>

#include "steptp/base/json.h"
#include "steptp/ir/program.h"
#include "steptp/reasoning/trace.h"

namespace steptp::dataset {

struct NearMiss {
  std::string id;  ///< 16 hex digits
  std::string leir;
  std::string change;     ///< the kind of slip
  std::string reasoning;  ///< which makes it, in words
  std::string verdict;    ///< "differs", or "invalid": it fails `check`
  std::string reason;
  Json counterexample;  ///< null where it is invalid
};

/// How hard is tried.
struct NearMissOptions {
  std::uint64_t seed = 1;
  std::uint64_t attempts = 6;
  /// Operations of one judgement: a difference that takes more is not worth the time, there are others. Of 437 wrong
  /// answers that six attempts with twice as many found, this keeps 418 in a fifth of the time.
  std::uint64_t budget = 100'000;
};

/// A verified step.
struct RightStep {
  const Program* before = nullptr;
  const Program* after = nullptr;
  std::string strategy;
  const Trace* trace = nullptr;
  std::string key;  ///< names it: the same key, the same answer
};

/// Makes slips in a step until the judge says that the result differs from `before` and shows where, or that it is no
/// valid program, or that the programs are too large for the budget.
[[nodiscard]] std::optional<NearMiss> find_near_miss(const RightStep& step, const NearMissOptions& options);

}  // namespace steptp::dataset
