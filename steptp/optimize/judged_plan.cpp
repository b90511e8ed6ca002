// The end against the root is asked first: a yes needs nothing else. Otherwise the plan is a chain: the program before
// and after its groups, one after the other, and where a group is not shown at once, its steps. Equality passes along
// the chain, so its grade is the worst of the links, and its chance of error at most their sum. `safe` does not pass
// along; it is asked of the end against the root.
#include "steptp/optimize/judged_plan.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "steptp/base/duration.h"
#include "steptp/base/text.h"
#include "steptp/documents/judged_recipe.h"
#include "steptp/optimize/changed_section.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

/// Of a question: how many evaluations it may take. Most are proved without any; what is not shown of several moves at
/// once with these is left to its steps, which are easier, and have more.
constexpr std::uint64_t kEvaluationsOfSeveral = 12'000'000;
constexpr std::uint64_t kEvaluationsOfStep = 60'000'000;
/// Of a group by itself, before anybody knows how much work the others take.
constexpr std::uint64_t kEvaluationsOfProbe = 5'000'000;
/// With less work left than this nothing is begun.
constexpr std::uint64_t kLeastWork = 700'000;
/// The same for a limit on the wall clock, and how much later an answer is given up.
constexpr double kLeastSeconds = 0.1;
constexpr double kGrace = 2;
/// What reading and checking a pair takes besides what the judge counts, for each character of its texts.
constexpr std::uint64_t kWorkOfCharacter = 10;

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

}  // namespace

/// One plan, judged.
class ChainJudge {
 public:
  explicit ChainJudge(PlanJudge& of)
      : of_(of), root_(of.root_), how_(of.how_), end_(std::min(of.spent_ + of.how_.work, of.end_)) {
    if (how_.seconds > 0) time_end_ = Clock::now() + span_of_seconds(how_.seconds);
  }

  JudgedPlan judge(const MadePlan& made, bool by_links) {
    if (by_links) {
      judge_links(made, Grade::undecided);
      return std::move(out_);
    }
    out_.links.push_back({"root to end", asked(root_.program, made.moved.program, Ask::whole)});
    const bool is_shown = is_equal(last().verdict);
    if (!is_shown && last().verdict != Grade::differs && !out_.cancelled) {
      const Grade at_once = last().verdict;
      out_.links.pop_back();
      judge_links(made, at_once);
    } else {
      take_whole(last());
      if (!is_shown || (!out_.is_safe() && !out_.cancelled)) find_culprit(made);
    }
    return std::move(out_);
  }

  JudgedPlan judge_part(const MadePlan& part, JudgedPlan whole) {
    out_.links = std::move(whole.links);
    finish_chain(part, whole.verdict);
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
  /// The work that is left for the whole plan.
  [[nodiscard]] std::uint64_t left() const { return end_ - std::min(end_, of_.spent_); }

  /// `safe` is asked of the whole only: it does not pass along a chain.
  enum class Ask : std::uint8_t { step, probe, group, whole, whole_by_steps };

  static bool is_of_stage(Ask ask) { return ask == Ask::step || ask == Ask::probe || ask == Ask::group; }
  static std::uint64_t evaluations_of(Ask ask) {
    if (ask == Ask::step) return kEvaluationsOfStep;
    return ask == Ask::probe ? kEvaluationsOfProbe : kEvaluationsOfSeveral;
  }

  ApartAnswer asked(const Program& before, const Program& after, Ask ask) {
    // A probe asks what is asked of a group, with less.
    const auto what = static_cast<int>(ask == Ask::probe ? Ask::group : ask);
    const std::string key =
        concat(what, "\n", print_document(before, Profile::paper), "\n", print_document(after, Profile::paper));
    const std::uint64_t end = is_of_stage(ask) ? stage_end_ : end_;
    const std::uint64_t work_left = end - std::min(end, of_.spent_);
    const std::uint64_t most = std::min(evaluations_of(ask), work_left);
    const auto known = of_.known_.find(key);
    // What was not shown with some work may be shown with more than twice as much.
    if (known != of_.known_.end() && (is_equal(known->second.answer.verdict) || known->second.most >= most / 2))
      return known->second.answer;
    if (work_left < kLeastWork) return not_asked("the work that judging may take was spent before it");
    ApartOptions options;
    if (time_end_) {
      options.seconds = Seconds(*time_end_ - Clock::now()).count();
      if (options.seconds < kLeastSeconds) return not_asked("no time was left for it");
      options.grace = kGrace;
    }
    options.command = how_.command;
    options.judge.seed = how_.seed;
    options.judge.equal_by_steps = ask == Ask::whole_by_steps;
    options.judge.budget = most;
    if (is_of_stage(ask)) options.judge.safety_budget = 0;
    options.with_certificate = true;
    options.go_on = how_.go_on;
    ApartAnswer answer = verify_apart(make_pair(document_of(root_, before), document_of(root_, after)), options);
    of_.spent_ += work_of(answer) + kWorkOfCharacter * key.size();
    out_.cancelled = out_.cancelled || answer.cancelled;
    if (!answer.cancelled) of_.known_.insert_or_assign(key, PlanJudge::Known{answer, most});
    return answer;
  }

  static std::uint64_t work_of(const ApartAnswer& answer) {
    const auto work = value_of(answer, "work").as_integer();
    return work && *work > 0 ? static_cast<std::uint64_t>(*work) : 0;
  }

  static ApartAnswer not_asked(std::string why) {
    ApartAnswer out;
    out.reason = std::move(why);
    out.answer.set("verdict", name_of(out.verdict)).set("reason", out.reason);
    return out;
  }

  void ask(std::string what, const Program& before, const Program& after, Ask how) {
    ApartAnswer answer = asked(before, after, how);
    out_.links.push_back({std::move(what), std::move(answer)});
  }

  /// A link, by what changes in it alone where that can be cut out, and otherwise by the whole programs.
  void ask_link(const std::string& what, const Program& before, const Program& after, Ask how) {
    const auto changed = changed_sections(before, after, of_.shapes_);
    if (changed) {
      ask(concat(what, ", by itself"), changed->first, changed->second, how);
      const bool is_shown = is_equal(last().verdict) && holds_everywhere(last());
      // The whole programs can be equal because of what goes into the part; where it is not shown, they are harder
      // still.
      const bool depends = last().verdict == Grade::differs || is_equal(last().verdict);
      if (is_shown || out_.cancelled || !depends) return;
      out_.links.pop_back();
    }
    ask(what, before, after, how);
  }

  /// The moves of each group, the last group first, and which of the groups that is; what comes before the groups has
  /// none.
  struct Stage {
    std::vector<PlannedMove> moves;
    std::optional<std::size_t> group;

    [[nodiscard]] std::string name() const {
      return group ? concat("group ", *group + 1) : std::string("what is inlined");
    }
  };
  static std::vector<Stage> stages_of(const MadePlan& made) {
    std::vector<Stage> out;
    auto at = made.plan.moves.begin();
    const auto add = [&](std::size_t moves, std::optional<std::size_t> group) {
      if (moves == 0) return;
      const auto end = at + static_cast<std::ptrdiff_t>(moves);
      out.push_back({{at, end}, group});
      at = end;
    };
    add(made.prepared, std::nullopt);
    for (std::size_t i = made.groups.size(); i-- > 0;) add(made.groups[i].moves.size(), i);
    return out;
  }
  static Moved made_by(const Program& program, const Stage& stage) {
    return *replay(program, Plan{{}, {}, stage.moves}, Tracking::off);
  }

  /// Each group by itself, with little work: what is shown so is known from then on. Says which are not.
  std::vector<bool> probe(const std::vector<Stage>& stages) {
    std::vector<bool> open;
    Program before = root_.program;
    for (const Stage& stage : stages) {
      Program after = made_by(before, stage).program;
      const auto changed = changed_sections(before, after, of_.shapes_);
      stage_end_ = end_;
      const bool is_shown = changed && is_equal(asked(changed->first, changed->second, Ask::probe).verdict);
      open.push_back(!is_shown);
      before = std::move(after);
    }
    return open;
  }

  /// Whether the answer has no conditions: of what goes into a part nobody knows whether they hold.
  static bool holds_everywhere(const ApartAnswer& answer) {
    const auto is_empty = [&](std::string_view key) {
      const Json::Array* list = value_of(answer, key).as_array();
      return list && list->empty();
    };
    return is_empty("assumes") && is_empty("vacuous") && !answer.fills_vacuous;
  }

  void take_whole(const ApartAnswer& answer) {
    out_.verdict = answer.verdict;
    out_.reason = answer.reason;
    out_.safe = value_of(answer, "safe");
    out_.safe_by = value_of(answer, "safe_by");
    const Json& bound = value_of(answer, "bound_log2");
    if (bound.is_number()) out_.bound_log2 = bound.number();
  }

  /// Not shown at once: each group by itself, and where that is not shown, step by step. A group that is not shown is
  /// left out of what the others are shown on.
  void judge_links(const MadePlan& made, Grade at_once) {
    const std::vector<Stage> stages = stages_of(made);
    // What is left at the end is for whether the whole is safe.
    const std::uint64_t end = end_ - left() / 4;
    const std::vector<bool> is_open = probe(stages);
    auto open = std::count(is_open.begin(), is_open.end(), true);
    Program before = root_.program;
    std::optional<std::pair<Grade, std::string>> first;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const Stage& stage = stages[i];
      const std::size_t links = out_.links.size();
      Moved moved = made_by(before, stage);
      // Those that are open share what is left.
      const std::uint64_t shared = end - std::min(end, of_.spent_);
      stage_end_ = of_.spent_ + shared / static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(1, open));
      open -= is_open[i] ? 1 : 0;
      const bool is_shown = judge_stage(before, stage, moved);
      if (is_shown) {
        before = std::move(moved.program);
        continue;
      }
      if (!first) first = {out_.verdict, out_.reason};
      if (!stage.group || out_.cancelled) return;
      out_.links.resize(links);
      out_.culprits.push_back(*stage.group);
    }
    if (!first) return finish_chain(made, at_once);
    std::tie(out_.verdict, out_.reason) = *std::move(first);
    out_.has_shown_part = !out_.links.empty();
  }

  bool judge_stage(const Program& before, const Stage& stage, const Moved& moved) {
    ask_link(stage.name(), before, moved.program, Ask::group);
    if (is_equal(last().verdict)) return true;
    out_.verdict = last().verdict;
    out_.reason = concat(stage.name(), ": ", last().reason);
    if (last().verdict == Grade::differs || out_.cancelled) return false;
    out_.links.pop_back();
    Program program = before;
    for (std::size_t i = 0; i < moved.recipe.size(); ++i) {
      auto next = replay(program, Recipe{moved.recipe[i]});
      const std::string what = concat(stage.name(), ", step ", i + 1, " (", moved.recipe[i].strategy, ")");
      ask_link(what, program, next->program, Ask::step);
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
  void finish_chain(const MadePlan& made, Grade at_once) {
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
    out_.reason = concat("shown link by link; at once it is ", steptp::name_of(at_once));
    if (end.verdict == Grade::differs) {
      // Then one of the answers is wrong, and the plan is not to be used.
      out_.verdict = Grade::differs;
      out_.reason = end.reason;
    }
  }

  /// The end is shown unequal, or not shown safe: the first group that is to blame.
  void find_culprit(const MadePlan& made) {
    const std::vector<Stage> stages = stages_of(made);
    Program before = root_.program;
    for (const Stage& stage : stages) {
      bool is_it = stages.size() == 1;
      Program after = made_by(before, stage).program;
      if (!is_it) {
        const ApartAnswer answer = asked(before, after, Ask::whole);
        const Json& safe = value_of(answer, "safe");
        is_it = !is_equal(answer.verdict) || !safe.as_bool() || !*safe.as_bool();
      }
      if (is_it) {
        if (stage.group) out_.culprits = {*stage.group};
        return;
      }
      before = std::move(after);
    }
    if (stages.front().group) out_.culprits = {*stages.front().group};
  }

  PlanJudge& of_;
  const Document& root_;
  const PlanJudging& how_;
  // Of the work of all questions.
  std::uint64_t end_;
  std::uint64_t stage_end_ = 0;
  std::optional<Clock::time_point> time_end_;
  JudgedPlan out_;
};

JudgedPlan PlanJudge::judge(const MadePlan& made, bool by_links) { return ChainJudge(*this).judge(made, by_links); }

JudgedPlan PlanJudge::judge_part(const MadePlan& part, JudgedPlan whole) {
  return ChainJudge(*this).judge_part(part, std::move(whole));
}

JudgedPlan PlanJudge::judge_root() { return ChainJudge(*this).judge_itself(); }

JudgedPlan judge_plan(const Document& root, const MadePlan& made, const PlanJudging& how) {
  return PlanJudge(root, how).judge(made);
}

MadePlan plan_without(const Program& root, const MadePlan& made, const std::vector<std::size_t>& groups) {
  MadePlan out = made;
  const auto prepared = made.plan.moves.begin() + static_cast<std::ptrdiff_t>(made.prepared);
  out.plan.moves.assign(made.plan.moves.begin(), prepared);
  auto at = prepared;
  for (std::size_t i = made.groups.size(); i-- > 0;) {
    const auto end = at + static_cast<std::ptrdiff_t>(made.groups[i].moves.size());
    if (std::find(groups.begin(), groups.end(), i) == groups.end())
      out.plan.moves.insert(out.plan.moves.end(), at, end);
    else
      out.groups[i].moves.clear(), out.groups[i].seconds = 0;
    at = end;
  }
  out.moved = *replay(root, out.plan, Tracking::off);
  return out;
}

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
