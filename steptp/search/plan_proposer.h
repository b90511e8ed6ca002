#pragma once

#include "steptp/planner/plan_space.h"
#include "steptp/search/roles.h"

namespace steptp::search {

/// Rules: edges of the space of plans, scored by what is expected of them. The best of different kinds are proposed,
/// and now and then one that is drawn. At the root the plan that `optimize` chooses comes first.
class RulesProposer : public Proposer {
 public:
  /// The space outlives it.
  explicit RulesProposer(const PlanSpace& space) : space_(space) {}
  [[nodiscard]] Result<Proposals, ProposerFailure> propose(const Question& question) override;

 private:
  const PlanSpace& space_;
};

/// Whole plans drawn at random, whatever the node.
class RandomProposer : public Proposer {
 public:
  explicit RandomProposer(const PlanSpace& space) : space_(space) {}
  [[nodiscard]] Result<Proposals, ProposerFailure> propose(const Question& question) override;

 private:
  const PlanSpace& space_;
};

}  // namespace steptp::search
