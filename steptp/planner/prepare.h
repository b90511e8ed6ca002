#pragma once

// Forms of a program that plans start from.

#include <optional>
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

/// The last of these forms with padded images inside the convolutions that read them, which stage what they read or
/// pass over it; nothing where there are none.
[[nodiscard]] std::optional<PreparedProgram> form_without_padded_images(const PreparedProgram& inlined);

}  // namespace steptp
