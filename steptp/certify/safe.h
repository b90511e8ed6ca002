#pragma once

#include <optional>
#include <string>

#include "steptp/certify/certify.h"
#include "steptp/certify/safe_range.h"
#include "steptp/certify/unsafe.h"

namespace steptp::certify {

/// Whether `after` is numerically no worse than `before`, in the declared types, at all good inputs.
struct SafetyAnswer {
  std::optional<bool> is_safe;    ///< nothing where the search did not finish, or met no good input
  std::optional<bool> is_stable;  ///< the same where every input may be off by half a unit in its last place
  std::string reason;             ///< where not safe: what may happen at which inputs; where not decided: why
  /// Where not safe: the inputs, if the element reads few enough of them to write them down.
  std::optional<UnsafeExample> example;
  std::uint64_t work = 0;
};

/// The definition of docs/verification.md, by search: an adversary that climbs (adversary.h) looks for a good input at
/// which, by error bounds, `after` may overflow, be NaN, divide by zero, take another branch or lose digits. For equal
/// programs only.
[[nodiscard]] SafetyAnswer compare_safety(const Program& before, const Program& after, const CertifyOptions& options,
                                          const SafeRange& range = {});

}  // namespace steptp::certify
