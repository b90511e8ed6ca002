#include "steptp/planner/proposals.h"

namespace steptp {

PlannedMove planned_move(std::string_view move, std::uint32_t expression, Values values) {
  return {std::string(move), Choice{item_site({expression}), std::move(values)}};
}

void ProposalList::add(std::string_view move, std::uint32_t first, std::uint32_t expressions, Values values) {
  all_.push_back({first, expressions, {planned_move(move, 0, std::move(values))}});
}

PlanTarget plan_target(const DeviceRates& rates) {
  const Device* own = find_device(rates.name);
  if (!own && !rates.is_gpu()) own = find_device("cpu");
  return {own ? own : &default_device(), rates.kind};
}

std::vector<Proposal> proposals_for(View& view, const PlanTarget& target) {
  ProposalList list(target);
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    propose_attention(view, i, list);
    propose_matrix(view, i, list);
    propose_tiles(view, i, list);
    propose_windows(view, i, list);
    propose_rows(view, i, list);
    propose_stages(view, i, list);
    propose_scans(view, i, list);
    propose_joins(view, i, list);
    propose_maps(view, i, list);
  }
  return list.take();
}

}  // namespace steptp
