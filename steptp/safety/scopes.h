#pragma once

#include "steptp/analysis/accesses.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// Scope rules that need no element sets (docs/language.md R6): accesses to an `l` tensor inside the same bound
/// axes, to an `s` tensor inside the same block axes (`scope-axes`); block loops around all items of their kernel
/// (`block-placement`); tensors in `s` or `l` that several kernels touch
/// (`scope-demoted`).
void check_scopes(const Program& program, const AccessTable& table, Findings& findings);

}  // namespace steptp
