#include "steptp/moves/contraction_kernel.h"

#include <algorithm>

namespace steptp {

bool ContractionKernel::make_blocks(std::int64_t depth) {
  LoopHeader header(builder_, {expression_}, what_.roles);
  if (!header.unbind_all() || !cut(header)) return false;
  return header.split("k", std::min(depth, header.extent("k")), "rounds", "depth") && place(header, what_.roles);
}

bool ContractionKernel::take_following() {
  for (const FollowingExpression& next : what_.following) {
    LoopHeader header(builder_, {expression_ + 1}, next.roles);
    const std::size_t serial = serial_;
    if (!header.unbind_all() || !cut(header) || !place(header, next.roles)) return false;
    serial_ = serial;
    const Values depth = {{"depth", static_cast<std::int64_t>(blocks_)}};
    if (!builder_.step("operator_fusion", item_site({expression_}), depth)) return false;
  }
  return true;
}

bool ContractionKernel::keep_sums() {
  return keep_made(what_.result, what_.is_narrow ? "wide" : "plain", what_.is_used_elsewhere) &&
         keep_passed_on(what_.result, what_.following);
}

}  // namespace steptp
