#include "steptp/evaluate/rewards.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>

#include "steptp/answers/answer.h"
#include "steptp/base/fresh_seed.h"
#include "steptp/base/text.h"
#include "steptp/evaluate/strategy_match.h"
#include "steptp/ir/canonical.h"
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
    std::set<Hash> good;
    for (const AnswerProgram& program : answer.programs) {
      if (good.size() < static_cast<std::size_t>(wanted)) earn(program, good);
    }
    return {static_cast<double>(good.size()) / wanted, std::move(problem_)};
  }

 private:
  /// Adds the program where it is worth something; twice the same program is worth no more.
  void earn(const AnswerProgram& program, std::set<Hash>& good) {
    if (!program.problem.ok()) return;
    Document after = read_program_text("answer", program.text, before_.program.signature);
    if (!after.ok || same_up_to_renaming(before_.program, after.program)) return;
    const Hash name = canonical_hash(after.program);
    if (!good.contains(name) && is_good(program, std::move(after))) good.insert(name);
  }

  bool is_good(const AnswerProgram& program, Document after) {
    if (reward_ == Reward::different) return true;
    if (reward_ == Reward::strategy_matches) {
      StrategyMatchLimits limits;
      limits.deadline = deadline_;
      return match_strategies(before_.program, after.program, program.strategies, limits) == StrategyMatch::yes;
    }
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
