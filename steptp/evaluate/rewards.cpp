#include "steptp/evaluate/rewards.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>

#include "steptp/analysis/device.h"
#include "steptp/answers/answer.h"
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

/// Gains below it are not seen by the model of times: half of the measured rows are further from what it expects.
constexpr double kResolution = 0.1;
/// How often a finding that depends on drawn inputs has to be found, each time with other draws.
constexpr std::uint64_t kDraws = 3;

bool is_in_form(const Answer& answer, int programs) {
  if (!answer.problem.ok() || !answer.deviations.empty()) return false;
  const auto is_whole = [](const AnswerProgram& program) {
    return program.problem.ok() && program.strategies.size() == 1 && is_known_strategy(program.strategies.front());
  };
  return answer.programs.size() == static_cast<std::size_t>(programs) &&
         std::all_of(answer.programs.begin(), answer.programs.end(), is_whole);
}

class Scorer {
 public:
  Scorer(Reward reward, const RewardRequest& request, const RewardOptions& options)
      : reward_(reward), request_(request), options_(options) {}

  Rewarded score() {
    Answer answer = read_answer(request_.answer);
    const int wanted = request_.programs;
    if (wanted < 1) return {0, concat("the question asks for ", wanted, " programs")};
    if (reward_ == Reward::format) return {is_in_form(answer, wanted) ? 1.0 : 0.0, ""};
    before_ = read_document("before", request_.before);
    if (!before_.ok || !before_.has_signature) {
      return {0, concat("the program of the question cannot be read: ",
                        before_.diagnostics.empty() ? "it has no signature" : before_.diagnostics.front().message)};
    }
    // As many count as were asked for, the first of them: more tries are not more worth.
    if (answer.programs.size() > static_cast<std::size_t>(wanted)) answer.programs.resize(request_.programs);
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(std::min(options_.seconds, 1e6)));
    if (reward_ == Reward::faster && !read_device()) return {0, std::move(problem_)};
    std::set<Hash> good;
    double sum = 0;
    for (const AnswerProgram& program : answer.programs) sum += earned(program, good);
    return {sum / wanted, std::move(problem_)};
  }

 private:
  /// What a program is worth; twice the same program is worth no more.
  double earned(const AnswerProgram& program, std::set<Hash>& good) {
    if (!program.problem.ok() || contradicts(program.text)) return 0;
    Document after = read_program_text("answer", program.text, before_.program.signature);
    if (!after.ok || same_up_to_renaming(before_.program, after.program)) return 0;
    const bool by_plain_form = reward_ == Reward::step || reward_ == Reward::faster;
    const Hash name = by_plain_form ? plain_form_of(after.program) : canonical_hash(after.program);
    if (reward_ == Reward::faster && name == plain_form_of(before_.program)) return 0;
    if (good.contains(name)) return 0;
    const double share = reward_ == Reward::faster ? saved_share(after.program) : 1;
    if (share <= 0 || !is_good(program, std::move(after))) return 0;
    good.insert(name);
    return share;
  }

  /// Header lines that say something else than the question.
  [[nodiscard]] bool contradicts(const std::string& text) const {
    if (text.find('@') == std::string::npos) return false;
    const Document document = read_document("answer", text);
    return document.has_signature && !(document.program.signature == before_.program.signature);
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
    const double saved = 1 - is->seconds / was->seconds;
    return saved < kResolution ? 0 : saved;
  }

  bool is_applied(const Program& after, const std::vector<std::string>& strategies) const {
    StrategyMatchLimits limits;
    limits.deadline = deadline_;
    limits.only_worth_showing = true;
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
    return is_shown(std::move(after));
  }

  /// Drawn from the programs themselves, so that the same answer is worth the same however often it is given; each
  /// finding that depends on draws has to be repeated with others.
  bool is_shown(Document after) {
    Hash seed = combine(plain_form_of(before_.program), plain_form_of(after.program));
    if (options_.seed) seed = combine(seed, *options_.seed);
    const Pair pair = make_pair(before_, std::move(after));
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      const double left = std::chrono::duration<double>(deadline_ - Clock::now()).count();
      if (left <= 0) return false;
      ApartOptions how;
      how.command = options_.judge_command;
      how.judge.seed = combine(seed, draw);
      how.judge.budget = options_.budget;
      how.seconds = left;
      if (reward_ == Reward::equal) how.judge.safety_budget = 0;  // not asked, so not searched for
      const ApartAnswer judgement = verify_apart(pair, how);
      if (judgement.unusable) problem_ = concat("the program of the question fails check: ", judgement.reason);
      if (!is_equal(judgement.verdict) || judgement.says("fills_vacuous")) return false;
      if (reward_ != Reward::equal && !judgement.says("safe")) return false;
      const Json* by = judgement.answer.find("safe_by");
      const bool is_safe_by_proof = by && by->as_string() && *by->as_string() == "proof";
      if (judgement.verdict == Grade::proved && (reward_ == Reward::equal || is_safe_by_proof)) return true;
    }
    return true;
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
