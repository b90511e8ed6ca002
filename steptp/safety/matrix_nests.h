#pragma once

#include "steptp/analysis/accesses.h"
#include "steptp/safety/findings.h"

namespace steptp {

/// Matrix nests, units and fragments (docs/language.md R20): what each equation under T loops is (`matrix-nest`,
/// `matrix-form`, `matrix-shape`), that tensors in f are touched by matrix nests of one kernel only (`fragment`), and
/// which loops may stand beside unit axes (`unit-axes`).
void check_matrix_nests(const AccessTable& table, Findings& findings);

}  // namespace steptp
