#pragma once

#include "steptp/ir/program.h"

namespace steptp {

/// The same program with generated names: plain loops in the order in which they occur (restarting in each top-level
/// nest), bound loops by their axis, intermediates in the order of their first occurrence; known variables keep their
/// names; terms of subscripts are sorted. Programs that are equal up to the names of loops and intermediates have
/// equal canonical forms. A program in which an index is not bound by a loop, or bound twice in one nest, keeps those
/// names as they are.
[[nodiscard]] Program canonical(const Program& program);

/// The hash of the canonical form.
[[nodiscard]] Hash canonical_hash(const Program& program);

/// Equal up to renaming of loops and intermediates.
[[nodiscard]] bool same_up_to_renaming(const Program& left, const Program& right);

}  // namespace steptp
