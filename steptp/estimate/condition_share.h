#pragma once

#include <vector>

#include "steptp/ir/program.h"
#include "steptp/lowering/value.h"

namespace steptp::estimation {

/// At which part of the iterations of some loops a condition holds.
struct ConditionShare {
  double all = 1;      ///< of all iterations
  double block = 1;    ///< of those of the block where it holds most often
  double busiest = 1;  ///< of those that the thread has where it holds most often
};

/// Exact where the loops that the condition mentions have few iterations together; otherwise from a few spread evenly
/// over all of them. Where data decides, a half.
[[nodiscard]] ConditionShare share_of(const lowering::Value& condition, const std::vector<const Loop*>& loops);

}  // namespace steptp::estimation
