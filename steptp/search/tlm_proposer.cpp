#include "steptp/search/tlm_proposer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/planner/proposals.h"
#include "steptp/search/proposed_plans.h"
#include "steptp/tlm/propose.h"
#include "steptp/tlm/shipped.h"

namespace steptp::search {

namespace {

/// So many sentences are drawn for one that is wanted.
constexpr std::size_t kDrawnForOne = 4;

/// The plan of a sentence as one part: which of its moves make which group is not asked again.
Candidate candidate_of(const tlm::ProposedPlan& proposed, const cursor::Finished& finished) {
  Candidate out;
  out.plan = WholePlan{finished.plan.moves, {}};
  out.strategies = moves_of(*out.plan);
  out.edge = concat("the sentence ", proposed.cursor.text());
  if (std::isfinite(proposed.expected_seconds)) out.expected = proposed.expected_seconds;
  return out;
}

}  // namespace

Result<std::unique_ptr<TlmProposer>, Diagnostic> TlmProposer::open(const std::string& weights, const Program& root,
                                                                   const DeviceRates& rates) {
  auto read = tlm::usable_weights(weights, rates.name);
  if (!read) return read.error();
  return std::unique_ptr<TlmProposer>(new TlmProposer(root, {plan_target(rates), rates}, std::move(read).value()));
}

Result<Proposals, ProposerFailure> TlmProposer::propose(const Question& question) {
  const auto proposed = tlm::propose_plans(root_, target_, weights_, {question.wanted * kDrawnForOne, question.seed});
  if (!proposed) return ProposerFailure{proposed.error()};
  Proposals out;
  out.scored = static_cast<std::int64_t>(proposed->size());
  std::set<std::string> before = plans_proposed_before(*question.tree);
  double likeliest = -std::numeric_limits<double>::infinity();
  for (const tlm::ProposedPlan& one : *proposed) likeliest = std::max(likeliest, one.log_probability);
  for (const tlm::ProposedPlan& one : *proposed) {
    if (out.candidates.size() == question.wanted) break;
    const auto finished = one.cursor.finish();
    if (!finished) {
      out.candidates.emplace_back().problem = concat("the sentence makes no program: ", finished.error());
      continue;
    }
    Candidate candidate = candidate_of(one, *finished);
    if (!before.insert(text_of(*candidate.plan)).second) continue;
    candidate.prior = std::clamp(std::exp(one.log_probability - likeliest), 0.01, 1.0);
    out.candidates.push_back(std::move(candidate));
  }
  return out;
}

}  // namespace steptp::search
