#pragma once

#include <cstdint>
#include <string>

#include "steptp/ir/program.h"

namespace steptp::testing {

/// Runs a small program on the machine of docs/language.md (R1 to R9), roughly: all values are doubles. Returns
/// the first violation of well-formedness it meets, empty where there is none: undefined or out-of-range reads, outputs
/// not written, known variables written, conflicting ranks, dtypes or scopes, shadowed indices, an axis bound twice,
/// `s` and `l` data used across kernels or under different axes, an integer division by zero, an `inf` among integers.
/// It shares no code with the checker, the oracle or the generator: it is there to doubt the generator.
[[nodiscard]] std::string trace(const Program& program, std::uint64_t seed);

}  // namespace steptp::testing
