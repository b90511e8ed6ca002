#include "steptp/search/proposed_plans.h"

#include "steptp/base/text.h"

namespace steptp::search {

std::string text_of(const WholePlan& plan) {
  std::string out;
  for (const PlannedMove& move : plan.prepared) append(out, to_json(move).dump(), ";");
  for (const PlannedGroup& group : plan.groups) {
    append(out, group.first, "+", group.expressions, ":");
    for (const PlannedMove& move : group.moves) append(out, to_json(move).dump(), ";");
  }
  return out;
}

std::set<std::string> plans_proposed_before(const Tree& tree) {
  std::set<std::string> out;
  for (const Node& node : tree.nodes()) {
    if (node.candidate.plan) out.insert(text_of(*node.candidate.plan));
  }
  return out;
}

std::vector<std::string> moves_of(const WholePlan& plan) {
  std::set<std::string> names;
  for (const PlannedMove& move : plan.prepared) names.insert(move.move);
  for (const PlannedGroup& group : plan.groups) {
    for (const PlannedMove& move : group.moves) names.insert(move.move);
  }
  return {names.begin(), names.end()};
}

}  // namespace steptp::search
