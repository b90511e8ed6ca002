#pragma once

#include <functional>
#include <vector>

#include "steptp/ir/expr.h"
#include "steptp/ir/site.h"

namespace steptp {

/// A condition under which a part is reached, or whose failure leads there.
struct PathCondition {
  ExprPtr condition;
  bool holds = true;
};

/// Calls `visit` for an expression and all below it, in textual order, with the conditions of if_then_else under which
/// each is evaluated (behind `outer`) and its address. Both are only good during the call.
using ReachedVisitor = std::function<void(const ExprPtr&, const std::vector<PathCondition>&, Site&)>;
void walk_reached(const ExprPtr& expr, std::vector<PathCondition> outer, Site& site, const ReachedVisitor& visit);

}  // namespace steptp
