#pragma once

// Wrong answers that look right: a verified program with one small change, which the judge says makes a difference.

#include <cstdint>
#include <optional>
#include <string>

#include "steptp/base/json.h"
#include "steptp/base/random.h"
#include "steptp/ir/program.h"

namespace steptp::dataset {

/// A program one small change away from another.
struct ChangedProgram {
  Program program;
  std::string change;  ///< what was done: "a subscript is off by one"
};
/// Nothing where the change that was drawn has no place in the program. The result may be ill-formed.
[[nodiscard]] std::optional<ChangedProgram> change_slightly(const Program& program, Random& random);

struct NearMiss {
  std::string id;  ///< 16 hex digits
  std::string leir;
  std::string change;
  std::string reason;
  Json counterexample;
};

/// How hard is tried.
struct NearMissOptions {
  std::uint64_t seed = 1;
  std::uint64_t attempts = 6;
  /// Operations of one judgement: a difference that takes more is not worth the time, there are others. Of 437 wrong
  /// answers that six attempts with twice as many found, this keeps 418 in a fifth of the time.
  std::uint64_t budget = 100'000;
};

/// Changes `after`, the right answer for `before`, until the judge says that it differs from `before` and shows where,
/// or that the programs are too large for the budget. `key` names the entry: the same key, the same answer.
[[nodiscard]] std::optional<NearMiss> find_near_miss(const Program& before, const Program& after,
                                                     const std::string& key, const NearMissOptions& options);

}  // namespace steptp::dataset
