#include "cli/optimize_by_model.h"

#include <utility>

#include "steptp/base/text.h"
#include "steptp/tlm/propose.h"

namespace steptp::cli {

namespace {

/// How many plans are judged before the program stays as it is.
constexpr std::size_t kMostPlans = 5;

}  // namespace

Optimized optimize_by_model(const Document& document, const OptimizeRequest& request, const std::string& device,
                            const std::shared_ptr<const tlm::Weights>& weights, std::uint64_t seed) {
  const auto target = cursor::find_target(device);
  if (!target) return kept_as_it_came(document, request, target.error());
  if (request.progress) request.progress("sentences", 0, 0);
  tlm::ProposeRequest wanted;
  wanted.seed = seed;
  const auto plans = tlm::propose_plans(document.program, *target, weights, wanted);
  if (!plans) return kept_as_it_came(document, request, concat("the model writes no plan: ", plans.error()));
  std::string why = "the model wrote no plan";
  std::size_t judged = 0;
  for (const tlm::ProposedPlan& one : *plans) {
    if (judged == kMostPlans || (request.judging.go_on && !request.judging.go_on())) break;
    const auto finished = one.cursor.finish();
    if (!finished) {
      why = concat("a plan cannot be made: ", finished.error());
      continue;
    }
    ++judged;
    if (request.progress) request.progress("judging", judged, kMostPlans);
    auto made = optimize_by(document, finished->plan, request);
    if (!made) {
      why = made.error();
      continue;
    }
    if (!made->fallback) {
      made->candidates = plans->size();
      made->judged_plans = judged;
      return std::move(made).value();
    }
    why = made->reason;
  }
  return kept_as_it_came(document, request, std::move(why));
}

}  // namespace steptp::cli
