#pragma once

#include <cstdint>

#include "steptp/lowering/arrangement.h"

namespace steptp::lowering {

/// The threads of a unit (docs/language.md R20).
inline constexpr std::int64_t kUnitLanes = 32;

/// Whether a statement is run by units: one of its loops is over `wx`, `wy` or `wz`.
[[nodiscard]] bool is_run_by_units(const Statement& statement);
/// Whether the kernel has such a statement.
[[nodiscard]] bool has_units(const Arrangement& arrangement, const ArrangedKernel& kernel);
/// How many units a block has: the product of the kernel's extents along these axes.
[[nodiscard]] std::int64_t units_of(const ArrangedKernel& kernel);
/// The threads of a block along tx, ty and tz. With units there is tx only, and a block has whole units.
[[nodiscard]] std::array<std::int64_t, 3> block_of(const Arrangement& arrangement, const ArrangedKernel& kernel);

}  // namespace steptp::lowering
