#pragma once

#include <array>
#include <cstdint>

#include "steptp/estimate/summary.h"

namespace steptp::estimation {

/// Fills in what one instruction of 32 neighbouring threads touches: sectors, lines and rounds through the banks. Where
/// guards let fewer of a block through, they are the first.
void add_requests(const StatementSummary& statement, const std::array<std::int64_t, 3>& block, AccessSummary& access);

}  // namespace steptp::estimation
