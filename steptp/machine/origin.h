#pragma once

#include <cstdint>

#include "steptp/analysis/accesses.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

/// How many loops two statements share: those of the nests around both.
[[nodiscard]] std::uint32_t shared_loops(const Statement& left, const Statement& right);

/// Fills in the origin of a read and what that is a copy of (Access::origin, Access::source), where subscripts tell.
/// The statements before the reader are compiled.
void find_origin(const Code& code, const AccessTable& table, std::uint32_t reader, Access& access);

}  // namespace steptp::certify
