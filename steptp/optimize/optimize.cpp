#include "steptp/optimize/optimize.h"

#include <chrono>
#include <limits>
#include <string_view>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/safety/check.h"

namespace steptp {

namespace {

/// How many plans are judged before the program stays as it is.
constexpr std::size_t kMostPlans = 5;
/// Where one is equal and nobody knows whether it is safe: whether the next one is.
constexpr std::size_t kPlansAfterSecond = 1;
/// After so much work of the judge no further plan is judged, and after so much no question about one is asked.
constexpr std::uint64_t kMostJudging = 100'000'000;
constexpr std::uint64_t kLastAnswer = 150'000'000;
/// What is left is for whether a part of a plan is safe.
constexpr std::uint64_t kLastAnswerOfPart = 180'000'000;
/// From this plan on, what is not shown gets the simplest form.
constexpr std::size_t kFirstPlainPlan = 2;
constexpr std::string_view kNothingFaster = "nothing is expected to be faster than the program as it is";

bool fits(const Program& program, const PlanTarget& target) {
  return check_program(program, {target.device}).verdict == CheckReport::Verdict::ok;
}

std::optional<Estimate> expected_of(const Program& program, const DeviceRates& rates) {
  auto out = estimate(program, rates);
  if (!out) return std::nullopt;
  return std::move(out).value();
}

class Optimizer {
 public:
  Optimizer(const Document& root, const OptimizeRequest& request)
      : root_(root), request_(request), judge_(root, request.judging) {}

  Optimized run() {
    PlanMaker maker(root_.program, request_.target, request_.rates, planning());
    std::size_t most = kMostPlans;
    while (plans_ < most && goes_on() && judge_.spent() < kMostJudging) {
      const auto begun = Clock::now();
      auto made = maker.best();
      planning_ += Clock::now() - begun;
      candidates_ = maker.candidates();
      cut_ = maker.was_cut();
      if (!made) {
        if (why_.empty()) why_ = concat("no plan passes `check --device ", request_.rates.name, "`");
        break;
      }
      if (made->plan.moves.empty()) {
        if (why_.empty()) why_ = kNothingFaster;
        break;
      }
      if (is_no_faster(made->moved.program)) {
        if (why_.empty()) why_ = kNothingFaster;
        maker.reject();
        continue;
      }
      const bool had_second = second_.has_value();
      if (auto found = tried(*made, maker)) return *std::move(found);
      if (second_ && !had_second) most = std::min(most, plans_ + kPlansAfterSecond);
    }
    if (second_ && !request_.require_safe) {
      if (!goes_on() && !second_->interrupted) {
        second_->interrupted = true;
        second_->reason = "it was ended before other plans were judged";
      }
      return *std::move(second_);
    }
    if (auto found = shown_part()) return *std::move(found);
    cut_ = cut_ || !goes_on();
    return vanilla();
  }

  /// Each move of a given plan is a group of its own, so that a move that is not shown is named.
  Optimized with(const Plan& plan, Moved moved) {
    MadePlan made;
    made.plan = plan;
    made.moved = std::move(moved);
    for (const PlannedMove& move : plan.moves) made.groups.insert(made.groups.begin(), PlannedGroup{0, 0, {move}, 0});
    plans_ = 1;
    if (!fits(made.moved.program, request_.target)) {
      why_ = concat("what the plan makes does not pass `check --device ", request_.rates.name, "`");
      return vanilla();
    }
    JudgedPlan judged = judge_.judge(made);
    const bool is_good =
        is_equal(judged.verdict) && !judged.is_unsafe() && (judged.is_safe() || !request_.require_safe);
    if (is_good) return optimized(made, std::move(judged));
    why_ = concat("what the plan makes is not shown ", is_equal(judged.verdict) ? "safe" : "equal", ": ",
                  judged.reason.empty() ? std::string(name_of(judged.verdict)) : judged.reason);
    return vanilla();
  }

  Optimized vanilla_because(std::string reason) {
    why_ = std::move(reason);
    return vanilla();
  }

  Optimized vanilla() {
    Optimized out;
    out.program = root_.program;
    out.plan = {root_hash(root_.program), request_.rates.name, {}};
    out.fallback = true;
    PlanJudging how = request_.judging;
    how.go_on = nullptr;  // the program against itself takes no time
    out.judged = PlanJudge(root_, how).judge_root();
    out.fits = fits(out.program, request_.target);
    out.reason = why_;
    if (!out.fits) append(out.reason, out.reason.empty() ? "" : "; ", "the program itself does not pass it either");
    finish(out);
    return out;
  }

 private:
  /// A plan that was made: the answer, where it is shown equal and safe.
  [[nodiscard]] std::optional<Optimized> tried(const MadePlan& made, PlanMaker& maker) {
    ++plans_;
    if (request_.progress) request_.progress("judging", plans_, kMostPlans);
    if (!fits(made.moved.program, request_.target)) {
      why_ = concat("the whole plan does not pass `check --device ", request_.rates.name, "`");
      maker.reject();
      return std::nullopt;
    }
    judge_.end_by(kLastAnswer);
    JudgedPlan judged = judge_.judge(made, plans_ > 1 && has_failed_at_once_);
    if (judged.cancelled) return std::nullopt;
    has_failed_at_once_ = has_failed_at_once_ || !is_equal(judged.verdict);
    const bool is_shown = is_equal(judged.verdict);
    if (is_shown && judged.is_safe()) return optimized(made, std::move(judged));
    why_ = concat("of ", plans_, " plans none was shown ", is_shown ? "safe" : "equal",
                  "; the last: ", judged.reason.empty() ? std::string(name_of(judged.verdict)) : judged.reason);
    const std::vector<std::size_t> culprits = judged.culprits;
    if (judged.has_shown_part) keep_part(made, judged);
    // Equal, and nobody has found it unsafe: better than nothing, where nothing better comes.
    if (is_shown && !judged.is_unsafe() && !second_) second_ = optimized(made, std::move(judged));
    if (culprits.empty())
      maker.reject();
    else
      maker.reject(culprits, plans_ >= kFirstPlainPlan);
    return std::nullopt;
  }

  /// Some groups were shown: with the others as they came, they are a plan too. The one that is expected to be fastest
  /// is kept.
  void keep_part(const MadePlan& made, const JudgedPlan& judged) {
    MadePlan part = plan_without(root_.program, made, judged.culprits);
    if (!fits(part.moved.program, request_.target) || is_no_faster(part.moved.program)) return;
    const auto expected = expected_of(part.moved.program, request_.rates);
    if (part_ && (!expected || expected->seconds >= part_->seconds)) return;
    part_ = Part{std::move(part), judged, expected ? expected->seconds : std::numeric_limits<double>::infinity()};
  }

  [[nodiscard]] std::optional<Optimized> shown_part() {
    if (!part_ || !goes_on()) return std::nullopt;
    judge_.end_by(kLastAnswerOfPart);
    const std::vector<std::size_t> left = part_->judged.culprits;
    JudgedPlan judged = judge_.judge_part(part_->made, std::move(part_->judged));
    const bool is_good = is_equal(judged.verdict) && !judged.is_unsafe() && !judged.cancelled &&
                         (judged.is_safe() || !request_.require_safe);
    if (!is_good) return std::nullopt;
    Optimized out = optimized(part_->made, std::move(judged));
    if (out.reason.empty()) {
      const std::string names = join(left, ", ", [](std::size_t group) { return concat("group ", group + 1); });
      out.reason = concat(names, left.size() == 1 ? " stays as it came: " : " stay as they came: ", why_);
    }
    return out;
  }

  /// Groups are chosen by what each takes, and a whole plan can still be slower than a program that runs as it came.
  [[nodiscard]] bool is_no_faster(const Program& end) {
    if (!root_seconds_) {
      const auto expected = expected_of(root_.program, request_.rates);
      const bool runs = expected && fits(root_.program, request_.target);
      root_seconds_ = runs ? expected->seconds : std::numeric_limits<double>::infinity();
    }
    const auto expected = expected_of(end, request_.rates);
    return expected && expected->seconds >= *root_seconds_;
  }

  [[nodiscard]] bool goes_on() const { return !request_.judging.go_on || request_.judging.go_on(); }

  [[nodiscard]] std::chrono::steady_clock::duration judging_time() const { return Clock::now() - begun_ - planning_; }

  [[nodiscard]] PlanningOptions planning() const {
    PlanningOptions out;
    out.jobs = request_.jobs;
    out.go_on = request_.go_on;
    if (request_.progress) {
      out.progress = [this](std::size_t tried) { request_.progress("candidates", tried, 0); };
    }
    return out;
  }

  [[nodiscard]] Optimized optimized(const MadePlan& made, JudgedPlan judged) const {
    Optimized out;
    out.program = made.moved.program;
    out.plan = made.plan;
    out.prepared = made.prepared;
    out.groups = made.groups;
    out.recipe = made.moved.recipe;
    out.judged = std::move(judged);
    finish(out);
    return out;
  }

  void finish(Optimized& out) const {
    out.expected = expected_of(out.program, request_.rates);
    out.vanilla = expected_of(root_.program, request_.rates);
    out.candidates = candidates_;
    out.judged_plans = plans_;
    out.planning_seconds = std::chrono::duration<double>(planning_).count();
    out.judging_seconds = std::chrono::duration<double>(judging_time()).count();
    out.interrupted = cut_;
    if (out.interrupted && out.fallback) out.reason = "it was ended before a plan was verified";
    if (out.interrupted && !out.fallback) out.reason = "it was ended before all candidates were tried";
  }

  using Clock = std::chrono::steady_clock;

  const Document& root_;
  const OptimizeRequest& request_;
  PlanJudge judge_;
  Clock::time_point begun_ = Clock::now();
  Clock::duration planning_{};
  std::size_t candidates_ = 0;
  std::size_t plans_ = 0;
  bool cut_ = false;
  std::optional<Optimized> second_;
  struct Part {
    MadePlan made;
    JudgedPlan judged;
    double seconds = 0;
  };
  std::optional<Part> part_;
  bool has_failed_at_once_ = false;
  std::optional<double> root_seconds_;  ///< infinite where the program does not run on the device as it is
  std::string why_;
};

}  // namespace

Optimized optimize(const Document& root, const OptimizeRequest& request) { return Optimizer(root, request).run(); }

Optimized kept_as_it_came(const Document& root, const OptimizeRequest& request, std::string reason) {
  return Optimizer(root, request).vanilla_because(std::move(reason));
}

std::string other_target(const Plan& plan, const DeviceRates& rates) {
  if (plan.target.empty() || plan.target == rates.name || plan.target == word_of(rates.kind)) return {};
  return concat("the plan is for ", plan.target, ", and not for ", rates.name,
                ": name that device, or leave \"target\" ", "of the plan empty to have it tried for this one");
}

Result<Optimized, std::string> optimize_by(const Document& root, const Plan& plan, const OptimizeRequest& request) {
  if (std::string why = other_target(plan, request.rates); !why.empty()) return why;
  if (std::string why = other_root(root.program, plan); !why.empty()) return why;
  auto moved = replay(root.program, plan, Tracking::off);
  if (!moved) return to_text(moved.error(), plan);
  return Optimizer(root, request).with(plan, std::move(moved).value());
}

}  // namespace steptp
