#pragma once

#include <string>

#include "steptp/certify/certify.h"

namespace steptp::certify {

/// Whether `after` is numerically no worse than `before`, in the declared types.
struct SafetyAnswer {
  bool is_safe = false;
  bool is_spent = false;  ///< the budget of operations, before all was seen
  std::string reason;     ///< where not: what was seen, or what stood in the way
  std::uint64_t work = 0;
};

/// Runs both programs as they are written, every operation rounded in its type, at a few elements of each output and at
/// draws that are hard on them: wide, tiny, zero, equal, positive, negative. Safe: no overflow, NaN or zero divisor
/// that `before` lacks, and a running error bound of at most 8 times that of `before` plus 4 units in the last place.
[[nodiscard]] SafetyAnswer compare_safety(const Program& before, const Program& after, const CertifyOptions& options);

}  // namespace steptp::certify
