#pragma once

#include <cstdint>
#include <set>

#include "replay/check.h"

namespace steptp::replayer {

/// The value numbers of a proof.
struct ProofTable {
  std::set<std::int64_t> numbers;
  std::set<std::int64_t> names;  ///< of them: no tensors, but names for forms
};

/// Whether the table is well founded: each value is made of earlier ones, stands for versions that there are, and every
/// output is claimed once. Throws Refused.
[[nodiscard]] ProofTable check_table(const Context& context);

}  // namespace steptp::replayer
