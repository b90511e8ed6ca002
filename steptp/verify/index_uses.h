#pragma once

#include "steptp/ir/program.h"

namespace steptp {

/// Whether each output element of both programs evaluates the same uses of known integers without a domain: as indices
/// of dimensions of the same extent, and as integer divisors. Then what `check` has to assume of them in `after` is
/// what the same element needs in `before` already, and no element profits from what another one needs.
/// False also where that is not shown.
[[nodiscard]] bool make_same_index_uses(const Program& before, const Program& after);

}  // namespace steptp
