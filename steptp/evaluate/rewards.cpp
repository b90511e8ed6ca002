#include "steptp/evaluate/rewards.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>

#include "steptp/analysis/device.h"
#include "steptp/answers/answer.h"
#include "steptp/base/fresh_seed.h"
#include "steptp/base/text.h"
#include "steptp/estimate/estimate.h"
#include "steptp/evaluate/strategy_match.h"
#include "steptp/ir/canonical.h"
#include "steptp/ir/forms.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/verify/judge_worker.h"

namespace steptp {

namespace {

using Clock = std::chrono::steady_clock;

bool is_in_form(const Answer& answer, int programs) {
  if (!answer.problem.ok() || !answer.deviations.empty()) return false;
  const auto is_whole = [](const AnswerProgram& program) {
    return program.problem.ok() && program.strategies.size() == 1 && is_known_strategy(program.strategies.front());
  };
  return answer.programs.size() >= static_cast<std::size_t>(programs) &&
         (programs > 1 || answer.programs.size() == 1) &&
         std::all_of(answer.programs.begin(), answer.programs.end(), is_whole);
}

class Scorer {
 public:
  Scorer(Reward reward, const RewardRequest& request, const RewardOptions& options)
      : reward_(reward), request_(request), options_(options) {}

  Rewarded score() {
    Answer answer = read_answer(request_.answer);
    const int wanted = std::max(1, request_.programs);
    if (reward_ == Reward::format) return {is_in_form(answer, wanted) ? 1.0 : 0.0, ""};
    before_ = read_document("before", request_.before);
    if (!before_.ok || !before_.has_signature) {
      return {0, concat("the program of the question cannot be read: ",
                        before_.diagnostics.empty() ? "it has no signature" : before_.diagnostics.front().message)};
    }
    // Of several programs where one was asked for, the first counts: more tries are not more worth.
    if (wanted == 1 && answer.programs.size() > 1) answer.programs.resize(1);
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(std::min(options_.seconds, 1e6)));
    if (reward_ == Reward::faster && !read_device()) return {0, std::move(problem_)};
    std::set<Hash> good;
    double sum = 0;
    for (const AnswerProgram& program : answer.programs) {
      if (good.size() < static_cast<std::size_t>(wanted)) sum += earned(program, good);
    }
    return {sum / wanted, std::move(problem_)};
  }

 private:
  /// What a program is worth; twice the same program is worth no more.
  double earned(const AnswerProgram& program, std::set<Hash>& good) {
    if (!program.problem.ok()) return 0;
    Document after = read_program_text("answer", program.text, before_.program.signature);
    if (!after.ok || same_up_to_renaming(before_.program, after.program)) return 0;
    const bool by_plain_form = reward_ == Reward::step || reward_ == Reward::faster;
    const Hash name = by_plain_form ? plain_form_of(after.program) : canonical_hash(after.program);
    if (by_plain_form && name == plain_form_of(before_.program)) return 0;
    if (good.contains(name)) return 0;
    const double share = reward_ == Reward::faster ? saved_share(after.program) : 1;
    if (share <= 0 || !is_good(program, std::move(after))) return 0;
    good.insert(name);
    return share;
  }

  bool read_device() {
    auto rates = find_rates(options_.device);
    if (!rates) {
      problem_ = concat("the device: ", rates.error());
      return false;
    }
    rates_ = std::move(rates).value();
    device_ = find_device(options_.device);
    return true;
  }

  /// Of the time that the question's program is expected to take; 0 where it is not known or nothing is saved.
  [[nodiscard]] double saved_share(const Program& after) const {
    CheckOptions check;
    check.device = device_;
    if (check_program(before_.program).verdict != CheckReport::Verdict::ok) return 0;
    if (check_program(after, check).verdict != CheckReport::Verdict::ok) return 0;
    const auto was = estimate(before_.program, rates_);
    const auto is = estimate(after, rates_);
    if (!was || !is || !(is->seconds > 0) || !(is->seconds < was->seconds)) return 0;
    return 1 - is->seconds / was->seconds;
  }

  bool is_applied(const Program& after, const std::vector<std::string>& strategies) const {
    StrategyMatchLimits limits;
    limits.deadline = deadline_;
    limits.up_to_plain_form = true;
    return strategies.size() == 1 && is_known_strategy(strategies.front()) &&
           match_strategies(before_.program, after, strategies, limits) == StrategyMatch::yes;
  }

  bool is_good(const AnswerProgram& program, Document after) {
    if (reward_ == Reward::different) return true;
    if (reward_ == Reward::strategy_matches) {
      StrategyMatchLimits limits;
      limits.deadline = deadline_;
      return match_strategies(before_.program, after.program, program.strategies, limits) == StrategyMatch::yes;
    }
    if (reward_ == Reward::step && !is_applied(after.program, program.strategies)) return false;
    const double left = std::chrono::duration<double>(deadline_ - Clock::now()).count();
    if (left <= 0) return false;
    ApartOptions how;
    how.command = options_.judge_command;
    how.judge.seed = options_.seed ? *options_.seed : fresh_seed();
    how.judge.budget = options_.budget;
    how.seconds = left;
    if (reward_ == Reward::equal) how.judge.safety_budget = 0;  // not asked, so not searched for
    const ApartAnswer judgement = verify_apart(make_pair(before_, std::move(after)), how);
    if (judgement.unusable) problem_ = concat("the program of the question fails check: ", judgement.reason);
    const bool is_paid = is_equal(judgement.verdict) && !judgement.says("fills_vacuous");
    return is_paid && (reward_ == Reward::equal || judgement.says("safe"));
  }

  Reward reward_;
  const RewardRequest& request_;
  const RewardOptions& options_;
  Document before_;
  DeviceRates rates_;
  const Device* device_ = nullptr;
  Clock::time_point deadline_;
  std::string problem_;
};

}  // namespace

std::optional<Reward> parse_reward(std::string_view name) {
  if (name == "format") return Reward::format;
  if (name == "different") return Reward::different;
  if (name == "equal") return Reward::equal;
  if (name == "safe") return Reward::safe;
  if (name == "strategy_matches") return Reward::strategy_matches;
  if (name == "step") return Reward::step;
  if (name == "faster") return Reward::faster;
  return std::nullopt;
}

Rewarded reward_of(Reward reward, const RewardRequest& request, const RewardOptions& options) {
  try {
    return Scorer(reward, request, options).score();
  } catch (const std::exception& error) {
    return {0, concat("internal error: ", error.what())};
  }
}

}  // namespace steptp
