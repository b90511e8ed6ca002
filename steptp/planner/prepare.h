#pragma once

// Forms of a program that plans start from.

#include <vector>

#include "steptp/plans/plan.h"

namespace steptp {

struct PreparedProgram {
  std::vector<PlannedMove> moves;  ///< that make it of the root
  Program program;
};

/// The program as it is; and, where there is something to inline, with cheap elementwise producers inside what reads
/// them, to a fixed point. Operands of contractions stay tensors.
[[nodiscard]] std::vector<PreparedProgram> prepared_forms(const Program& root);

}  // namespace steptp
