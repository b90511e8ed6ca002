#pragma once

#include <vector>

#include "steptp/ir/program.h"
#include "steptp/lowering/value.h"

namespace steptp::estimation {

/// The part of the iterations of the loops at which a condition holds, from a few iterations spread evenly over all of
/// them. Where data decides, a half.
[[nodiscard]] double share_of(const lowering::Value& condition, const std::vector<const Loop*>& loops);

}  // namespace steptp::estimation
