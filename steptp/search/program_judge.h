#pragma once

#include "steptp/optimize/judged_plan.h"
#include "steptp/planner/proposals.h"
#include "steptp/search/roles.h"
#include "steptp/text/document.h"

namespace steptp::search {

struct ProgramJudging {
  PlanJudging plans;  ///< how processes that judge are started, seconds for one plan, the seed
  std::string target;
  const Device* device = nullptr;  ///< whose launch limits programs have to keep
};

/// The judge of the project: `check` with the limits of the device, then proof and certified evaluation.
class ProgramJudge : public CandidateJudge {
 public:
  /// The root outlives it.
  ProgramJudge(const Document& root, ProgramJudging how) : root_(root), how_(std::move(how)) {}

  [[nodiscard]] Verdict judge(const Tree& tree, const Node& node) override;
  [[nodiscard]] Verdict judge_winner(const Tree& tree, const Node& node) override;

 private:
  [[nodiscard]] Verdict judge_with(const Tree& tree, const Node& node, const PlanJudging& how, bool is_winner) const;

  const Document& root_;
  ProgramJudging how_;
};

}  // namespace steptp::search
