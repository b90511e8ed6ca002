#include "steptp/tlm/propose.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "steptp/tlm/generate.h"

namespace steptp::tlm {

namespace {

double expected_seconds(const cursor::Cursor& complete) {
  const auto facts = complete.facts();
  if (!facts) return std::numeric_limits<double>::infinity();
  double out = 0;
  for (const cursor::GroupFacts& group : *facts) out += group.seconds;
  return out;
}

}  // namespace

Result<std::vector<ProposedPlan>, std::string> propose_plans(const Program& program, const cursor::Target& target,
                                                             const std::shared_ptr<const Weights>& weights,
                                                             const ProposeRequest& request) {
  const auto space = cursor::open_space(program, target);
  if (!space) return space.error();
  auto made = generate(*space, weights, {request.count, request.seed, quality_for(weights->card), 1});
  if (!made) return made.error();
  std::vector<ProposedPlan> out;
  for (Generated& one : *made) {
    const double seconds = expected_seconds(one.cursor);
    out.push_back({std::move(one.cursor), one.log_probability, seconds});
  }
  std::stable_sort(out.begin(), out.end(), [](const ProposedPlan& one, const ProposedPlan& other) {
    return std::tuple(one.expected_seconds, -one.log_probability) <
           std::tuple(other.expected_seconds, -other.log_probability);
  });
  return out;
}

}  // namespace steptp::tlm
