#include "steptp/analysis/reached.h"

namespace steptp {

namespace {

void walk(const ExprPtr& expr, std::vector<PathCondition>& conditions, Site& site, const ReachedVisitor& visit) {
  visit(expr, conditions, site);
  const auto* select = std::get_if<Select>(&expr->node);
  std::uint32_t number = 0;
  for (const ExprPtr* place : children(*expr)) {
    const bool branch = select && number > 0;
    site.path.push_back(number);
    if (branch) conditions.push_back({select->condition, number == 1});
    walk(*place, conditions, site, visit);
    if (branch) conditions.pop_back();
    site.path.pop_back();
    ++number;
  }
}

}  // namespace

void walk_reached(const ExprPtr& expr, std::vector<PathCondition> outer, Site& site, const ReachedVisitor& visit) {
  walk(expr, outer, site, visit);
}

}  // namespace steptp
