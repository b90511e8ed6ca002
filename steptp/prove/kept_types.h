#pragma once

#include "steptp/prove/flow.h"

namespace steptp::forms {

/// Whether the second program computes every value in the types in which the first one does: versions with one value
/// number are written by the same operations on operands of the same types, in both programs. Unknown counts as no.
[[nodiscard]] bool keeps_types(const Program& before, const Flow& before_flow, const Numbering& before_numbers,
                               const Program& after, const Flow& after_flow, const Numbering& after_numbers);

}  // namespace steptp::forms
