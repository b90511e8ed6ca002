#include "replay/asked.h"

#include <utility>

namespace steptp::replayer {

void AskedConditions::begin(const Expr& expr, bool is_conjunction) {
  if (++depth_ == 1) {
    open_ = {&expr, is_conjunction, false, {}};
    is_nested_ = false;
  } else {
    is_nested_ = is_nested_ || is_conjunction != open_.is_conjunction;
  }
}

void AskedConditions::end(bool holds) {
  if (--depth_ > 0) return;
  open_.holds = holds;
  if (!is_nested_ && !open_.parts.empty() && all_.size() < kMost) all_.push_back(std::move(open_));
}

void AskedConditions::part(const Expr& expr, CompareOp op, const Real& gap, bool holds) {
  if (!gap.is_finite()) return;
  const bool is_alone = depth_ == 0;
  if (is_alone) begin(expr, true);
  if (open_.parts.size() < kMostParts) open_.parts.push_back({op, gap, holds});
  if (is_alone) end(holds);
}

}  // namespace steptp::replayer
