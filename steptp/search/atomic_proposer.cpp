#include "steptp/search/atomic_proposer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/estimate/estimate.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"

namespace steptp::search {

namespace {

/// So many steps are drawn for one that is wanted, and scored where scores decide.
constexpr std::size_t kDrawnForOne = 4;
constexpr std::size_t kMostScored = 64;

struct ScoredStep {
  Step step;
  double seconds = 0;
};

Candidate candidate_of(ScoredStep scored) {
  Candidate out;
  out.strategies = {scored.step.strategy};
  out.edge = concat(scored.step.strategy, " at ", to_text(scored.step.choice.at));
  if (scored.seconds > 0) out.expected = scored.seconds;
  out.step = std::move(scored.step);
  return out;
}

/// Steps that were proposed for the node before.
std::set<std::string> proposed_before(const Question& question) {
  std::set<std::string> out;
  for (const std::size_t child : question.about().children) {
    const Candidate& candidate = question.tree->at(child).candidate;
    if (candidate.step) out.insert(to_json(*candidate.step).dump());
  }
  return out;
}

}  // namespace

Result<Proposals, ProposerFailure> AtomicProposer::propose(const Question& question) {
  const Program& program = *question.about().program;
  View view(program);
  const Choices choices = list_choices(all_strategies(), view, true);
  const std::set<std::string> before = proposed_before(question);
  const std::size_t wanted = rates_ ? kMostScored : question.wanted * kDrawnForOne + before.size();
  std::vector<ScoredStep> steps;
  for (const StrategyChoice& drawn : sample_choices(choices, wanted, question.seed)) {
    Step step{std::string(drawn.strategy->name), drawn.choice};
    if (before.contains(to_json(step).dump())) continue;
    steps.push_back({std::move(step), 0});
  }
  Proposals out;
  if (rates_) {
    std::vector<ScoredStep> known;
    for (ScoredStep& scored : steps) {
      const auto made = replay(program, Recipe{scored.step});
      const auto expected = made ? estimate(made->program, *rates_) : Result<Estimate, std::string>(std::string());
      if (!expected) continue;
      scored.seconds = expected->seconds;
      known.push_back(std::move(scored));
    }
    out.scored = static_cast<std::int64_t>(known.size());
    steps = std::move(known);
    std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  }
  std::set<std::string> taken;
  for (const bool again : {false, true}) {
    for (ScoredStep& scored : steps) {
      if (out.candidates.size() == question.wanted) return out;
      // First one of each strategy, then whatever is left.
      if (scored.step.strategy.empty() || (!again && !taken.insert(scored.step.strategy).second)) continue;
      out.candidates.push_back(candidate_of(std::move(scored)));
      scored.step.strategy.clear();
    }
  }
  return out;
}

}  // namespace steptp::search
