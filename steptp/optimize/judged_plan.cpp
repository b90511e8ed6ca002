// The end against the root is asked first: a yes needs nothing else. Otherwise the plan is a chain: the program before
// and after its groups, one after the other, and where a group is not shown at once, its steps. Equality passes along
// the chain, so its grade is the worst of the links, and its chance of error at most their sum. `safe` does not pass
// along; it is asked of the end against the root.
#include "steptp/optimize/judged_plan.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/documents/judged_recipe.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

/// Evaluations for one pair. Most are proved without any; what is not shown of several moves at once with these is
/// left to its steps, which are easier, and have more.
constexpr std::uint64_t kEvaluationsOfSeveral = 12'000'000;
constexpr std::uint64_t kEvaluationsOfStep = 60'000'000;
constexpr double kMostSeconds = 8;

/// A program that was made here, as the judge takes its texts.
Document document_of(const Document& root, const Program& program) {
  Document out;
  out.program = program;
  out.profile = Profile::paper;
  out.ok = out.has_signature = true;
  out.source = root.source;
  return out;
}

const Json& value_of(const ApartAnswer& answer, std::string_view key) {
  static const Json kNone;
  const Json* value = answer.answer.find(key);
  return value ? *value : kNone;
}

class PlanJudge {
 public:
  PlanJudge(const Document& root, const PlanJudging& how)
      : root_(root),
        how_(how),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(how.seconds))) {}

  JudgedPlan judge(const MadePlan& made) {
    ask("root to end", root_.program, made.moved.program, Ask::whole);
    const bool is_shown = is_equal(last().verdict);
    if (!is_shown && last().verdict != Grade::differs && !out_.cancelled) {
      const PlanLink whole = std::move(out_.links.back());
      out_.links.pop_back();
      judge_links(made, whole);
    } else {
      take_whole(last());
      if (!is_shown || (!out_.is_safe() && !out_.cancelled)) find_culprit(made);
    }
    return std::move(out_);
  }

  JudgedPlan judge_itself() {
    ask("the program as it is", root_.program, root_.program, Ask::whole);
    take_whole(last());
    return std::move(out_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  [[nodiscard]] const ApartAnswer& last() const { return out_.links.back().answer; }

  /// `safe` is asked of the whole only: it does not pass along a chain.
  enum class Ask : std::uint8_t { step, group, whole, whole_by_steps };

  ApartAnswer asked(const Program& before, const Program& after, Ask ask) {
    ApartOptions options;
    options.command = how_.command;
    options.judge.seed = how_.seed;
    options.judge.equal_by_steps = ask == Ask::whole_by_steps;
    options.judge.budget = ask == Ask::step ? kEvaluationsOfStep : kEvaluationsOfSeveral;
    if (ask == Ask::step || ask == Ask::group) options.judge.safety_budget = 0;
    options.with_certificate = true;
    options.go_on = how_.go_on;
    options.seconds = std::clamp(Seconds(end_ - Clock::now()).count(), 0.05, kMostSeconds);
    ApartAnswer answer = verify_apart(make_pair(document_of(root_, before), document_of(root_, after)), options);
    out_.cancelled = out_.cancelled || answer.cancelled;
    return answer;
  }

  void ask(std::string what, const Program& before, const Program& after, Ask how) {
    ApartAnswer answer = asked(before, after, how);
    out_.links.push_back({std::move(what), std::move(answer)});
  }

  void take_whole(const ApartAnswer& answer) {
    out_.verdict = answer.verdict;
    out_.reason = answer.reason;
    out_.safe = value_of(answer, "safe");
    out_.safe_by = value_of(answer, "safe_by");
    const Json& bound = value_of(answer, "bound_log2");
    if (bound.is_number()) out_.bound_log2 = bound.number();
  }

  /// The program after the moves up to each group, and which of the groups that is; what comes before the groups has
  /// none.
  struct Stage {
    Program program;
    std::optional<std::size_t> group;
    Recipe recipe;
  };
  [[nodiscard]] std::vector<Stage> stages_of(const MadePlan& made) const {
    std::vector<Stage> out;
    std::size_t at = 0;
    Program program = root_.program;
    const auto add = [&](std::size_t moves, std::optional<std::size_t> group) {
      if (moves == 0) return;
      const auto begin = made.plan.moves.begin() + static_cast<std::ptrdiff_t>(at);
      auto moved = replay(program, Plan{{}, {}, {begin, begin + static_cast<std::ptrdiff_t>(moves)}}, Tracking::off);
      program = moved->program;
      out.push_back({moved->program, group, std::move(moved->recipe)});
      at += moves;
    };
    add(made.prepared, std::nullopt);
    for (std::size_t i = made.groups.size(); i-- > 0;) add(made.groups[i].moves.size(), i);
    return out;
  }

  static std::string name_of_stage(const Stage& stage) {
    return stage.group ? concat("group ", *stage.group + 1) : std::string("what is inlined");
  }

  /// Not shown at once: each group by itself, and where that is not shown, step by step.
  void judge_links(const MadePlan& made, const PlanLink& whole) {
    Program before = root_.program;
    for (const Stage& stage : stages_of(made)) {
      if (!judge_stage(before, stage)) {
        out_.culprit = stage.group;
        return;
      }
      before = stage.program;
    }
    finish_chain(made, whole);
  }

  bool judge_stage(const Program& before, const Stage& stage) {
    ask(name_of_stage(stage), before, stage.program, Ask::group);
    if (is_equal(last().verdict)) return true;
    out_.verdict = last().verdict;
    out_.reason = concat(name_of_stage(stage), ": ", last().reason);
    if (last().verdict == Grade::differs || out_.cancelled) return false;
    out_.links.pop_back();
    Program program = before;
    for (std::size_t i = 0; i < stage.recipe.size(); ++i) {
      auto next = replay(program, Recipe{stage.recipe[i]});
      const std::string what = concat(name_of_stage(stage), ", step ", i + 1, " (", stage.recipe[i].strategy, ")");
      ask(what, program, next->program, Ask::step);
      if (!is_equal(last().verdict)) {
        out_.verdict = last().verdict;
        out_.reason = concat(what, ": ", last().reason);
        return false;
      }
      program = std::move(next->program);
    }
    return true;
  }

  /// All links are equal: the worst grade, the sum of the chances; `safe` is asked of the whole.
  void finish_chain(const MadePlan& made, const PlanLink& whole) {
    std::vector<double> chances;
    out_.verdict = Grade::proved;
    for (const PlanLink& link : out_.links) {
      out_.verdict = std::max(out_.verdict, link.answer.verdict);
      const Json& bound = value_of(link.answer, "bound_log2");
      if (bound.is_number()) chances.push_back(bound.number());
    }
    out_.bound_log2 = sum_of_chances(chances);
    const ApartAnswer end = asked(root_.program, made.moved.program, Ask::whole_by_steps);
    out_.safe = value_of(end, "safe");
    out_.safe_by = value_of(end, "safe_by");
    out_.reason = concat("shown link by link; at once it is ", steptp::name_of(whole.answer.verdict));
    if (end.verdict == Grade::differs) {
      // Then one of the answers is wrong, and the plan is not to be used.
      out_.verdict = Grade::differs;
      out_.reason = end.reason;
    }
  }

  /// The end is shown unequal, or not shown safe: the first group that is to blame.
  void find_culprit(const MadePlan& made) {
    const std::vector<Stage> stages = stages_of(made);
    out_.culprit = stages.front().group;
    if (stages.size() == 1) return;
    Program before = root_.program;
    for (const Stage& stage : stages) {
      const ApartAnswer answer = asked(before, stage.program, Ask::whole);
      const Json& safe = value_of(answer, "safe");
      if (!is_equal(answer.verdict) || !safe.as_bool() || !*safe.as_bool()) {
        out_.culprit = stage.group;
        return;
      }
      before = stage.program;
    }
  }

  const Document& root_;
  const PlanJudging& how_;
  Clock::time_point end_;
  JudgedPlan out_;
};

}  // namespace

JudgedPlan judge_plan(const Document& root, const MadePlan& made, const PlanJudging& how) {
  return PlanJudge(root, how).judge(made);
}

JudgedPlan judge_vanilla(const Document& root, const PlanJudging& how) { return PlanJudge(root, how).judge_itself(); }

Json to_json(const JudgedPlan& judged) {
  Json::Array links;
  for (const PlanLink& link : judged.links) {
    Json entry;
    entry.set("what", link.what);
    for (const auto& [key, value] : *link.answer.answer.as_object()) entry.set(key, value);
    links.push_back(std::move(entry));
  }
  Json out;
  out.set("verdict", name_of(judged.verdict));
  out.set("bound_log2", judged.bound_log2 ? Json(*judged.bound_log2) : Json());
  out.set("safe", judged.safe).set("safe_by", judged.safe_by).set("reason", judged.reason);
  return out.set("links", std::move(links));
}

}  // namespace steptp
