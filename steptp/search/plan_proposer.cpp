#include "steptp/search/plan_proposer.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/search/proposed_plans.h"

namespace steptp::search {

namespace {

constexpr std::size_t kMostScored = 512;
constexpr std::uint64_t kDrawnPercent = 15;
/// So many continuations of a candidate are scored for what it promises.
constexpr std::size_t kContinuations = 8;
/// A random plan that the search has met is drawn again, so often.
constexpr int kMostDraws = 20;

std::string_view verb_of(PlanEdge::Kind kind) {
  switch (kind) {
    case PlanEdge::Kind::insert: return "insert";
    case PlanEdge::Kind::remove: return "remove";
    case PlanEdge::Kind::retune: return "retune";
    case PlanEdge::Kind::start: return "start with";
  }
  return "";
}

std::string words_of(const PlanEdge& edge) {
  if (edge.kind == PlanEdge::Kind::start) return "the plan that is expected to be fastest";
  return concat(verb_of(edge.kind), " ", edge.move, " at ", edge.place);
}

Candidate candidate_of(const PlanEdge& edge, double best) {
  Candidate out;
  out.plan = edge.plan;
  out.strategies = moves_of(edge.plan);
  out.edge = words_of(edge);
  out.expected = edge.seconds;
  out.prior = edge.seconds > 0 ? std::clamp(best / edge.seconds, 0.01, 1.0) : 0.01;
  return out;
}

/// The edges in the order in which they are proposed: the best of kinds that were not taken yet, or one that is drawn.
std::vector<PlanEdge> selected(std::vector<PlanEdge> edges, std::size_t wanted, Random& random) {
  std::vector<PlanEdge> out;
  std::set<std::string> kinds;
  const auto take = [&](std::size_t at) {
    kinds.insert(words_of(edges[at]));
    out.push_back(std::move(edges[at]));
    edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(at));
  };
  while (out.size() < wanted && !edges.empty()) {
    if (edges.front().kind != PlanEdge::Kind::start && random.chance(kDrawnPercent, 100)) {
      take(random.below(edges.size()));
      continue;
    }
    std::size_t at = 0;
    while (at < edges.size() && kinds.contains(words_of(edges[at]))) ++at;
    take(at < edges.size() ? at : 0);
  }
  return out;
}

}  // namespace

Result<Proposals, ProposerFailure> RulesProposer::propose(const Question& question) {
  const Node& about = question.about();
  const WholePlan from = about.candidate.plan ? *about.candidate.plan : space_.vanilla();
  std::vector<PlanEdge> edges = space_.edges(from, question.seed, kMostScored);
  Proposals out;
  out.scored = static_cast<std::int64_t>(edges.size());
  const std::set<std::string> before = plans_proposed_before(*question.tree);
  std::erase_if(edges, [&](const PlanEdge& edge) { return before.contains(text_of(edge.plan)); });
  // The plan that is expected to be fastest comes first, and it is no edge of any other node than the root.
  const auto start =
      std::find_if(edges.begin(), edges.end(), [](const PlanEdge& edge) { return edge.kind == PlanEdge::Kind::start; });
  if (start != edges.end()) std::rotate(edges.begin(), start, start + 1);
  if (edges.empty()) return out;
  double best = edges.front().seconds;
  for (const PlanEdge& edge : edges) best = std::min(best, edge.seconds);
  Random random(question.seed);
  for (const PlanEdge& edge : selected(std::move(edges), question.wanted, random)) {
    out.candidates.push_back(candidate_of(edge, best));
    if (question.algorithm != Algorithm::mcts) continue;
    // What the best of a few further edges may come to: two moves from the node that was asked about.
    const auto further = space_.edges(edge.plan, question.seed, kContinuations);
    out.scored += static_cast<std::int64_t>(further.size());
    if (!further.empty()) out.candidates.back().promise = further.front().seconds;
  }
  return out;
}

Result<Proposals, ProposerFailure> RandomProposer::propose(const Question& question) {
  Proposals out;
  std::set<std::string> before = plans_proposed_before(*question.tree);
  Random random(question.seed);
  for (std::size_t i = 0; i < question.wanted; ++i) {
    WholePlan plan = space_.random(random.next());
    for (int draw = 1; draw < kMostDraws && before.contains(text_of(plan)); ++draw) plan = space_.random(random.next());
    before.insert(text_of(plan));
    Candidate candidate;
    candidate.strategies = moves_of(plan);
    candidate.edge = "a random plan";
    candidate.plan = std::move(plan);
    out.candidates.push_back(std::move(candidate));
  }
  return out;
}

}  // namespace steptp::search
