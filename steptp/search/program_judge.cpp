// A plan is judged against its root, and other programs against what they were made of, which is shorter to show. A
// winner is always judged against the root; where that is too much at once, equality passes along the programs that led
// to it, and `safe` is asked of the winner against the root.
#include "steptp/search/program_judge.h"

#include <algorithm>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/planner/plan_space.h"
#include "steptp/safety/check.h"
#include "steptp/verify/judge_worker.h"

namespace steptp::search {

namespace {

/// Of one pair of neighbours, and of a winner against the root.
constexpr std::uint64_t kEvaluations = 60'000'000;
constexpr std::uint64_t kEvaluationsOfWinner = 200'000'000;
constexpr double kSeconds = 8;
constexpr double kSecondsOfWinner = 30;
/// A winner is judged with draws that its candidates have not seen.
constexpr std::uint64_t kOtherSeed = 0x5ea12c4;

Document document_of(const Document& root, const Program& program) {
  Document out;
  out.program = program;
  out.profile = Profile::paper;
  out.ok = out.has_signature = true;
  out.source = root.source;
  return out;
}

Outcome outcome_of(Grade grade, const Json& safe) {
  switch (grade) {
    case Grade::proved:
    case Grade::exact: break;
    case Grade::numeric: return Outcome::numeric;
    case Grade::differs: return Outcome::differs;
    case Grade::undecided: return Outcome::undecided;
    case Grade::invalid: return Outcome::invalid;
  }
  if (!safe.as_bool()) return Outcome::undecided;
  return *safe.as_bool() ? Outcome::fresh : Outcome::unsafe;
}

Verdict verdict_of(Grade grade, Json safe, std::string reason) {
  Verdict out;
  out.outcome = outcome_of(grade, safe);
  out.verdict = name_of(grade);
  out.reason = std::move(reason);
  if (is_equal(grade) && !safe.as_bool() && out.reason.empty()) out.reason = "it is equal, and not shown safe";
  out.safe = std::move(safe);
  return out;
}

/// What `check` says with the limits of the device; nothing where it is content.
std::optional<Verdict> beyond(const Program& program, const Device* device) {
  const CheckReport report = check_program(program, {device});
  if (report.verdict == CheckReport::Verdict::ok) return std::nullopt;
  Verdict out;
  out.outcome = report.verdict == CheckReport::Verdict::errors ? Outcome::invalid : Outcome::undecided;
  const Severity wanted = report.verdict == CheckReport::Verdict::errors ? Severity::error : Severity::unknown;
  for (const Diagnostic& one : report.diagnostics) {
    if (one.severity != wanted) continue;
    out.reason = concat("check: ", one.message);
    break;
  }
  return out;
}

ApartAnswer pair_answer(const Document& root, const Program& before, const Program& after, const PlanJudging& how,
                        std::uint64_t budget, double seconds, bool by_steps) {
  ApartOptions options;
  options.command = how.command;
  options.judge.seed = how.seed;
  options.judge.budget = budget;
  options.judge.equal_by_steps = by_steps;
  options.seconds = seconds;
  options.go_on = how.go_on;
  return verify_apart(make_pair(document_of(root, before), document_of(root, after)), options);
}

Json safe_of(const ApartAnswer& answer) {
  const Json* safe = answer.answer.find("safe");
  return safe ? *safe : Json();
}

Verdict pair_verdict(const ApartAnswer& answer) {
  Verdict out = verdict_of(answer.verdict, safe_of(answer), answer.reason);
  out.cancelled = answer.cancelled;
  return out;
}

/// Every program between the root and the node was shown equal to the one before it.
Verdict along_the_way(const Document& root, const Tree& tree, const Node& node, const PlanJudging& how) {
  Grade worst = Grade::proved;
  for (const Node* at = &node; at->parent; at = &tree.at(*at->parent)) {
    const bool is_proved = at->verdict == name_of(Grade::proved);
    if (!is_proved && at->verdict != name_of(Grade::exact))
      return verdict_of(Grade::undecided, {}, "a step is not shown");
    if (!is_proved) worst = Grade::exact;
    if (at->candidate.plan) break;  // which was judged against the root
  }
  const ApartAnswer end =
      pair_answer(root, root.program, *node.program, how, kEvaluationsOfWinner, kSecondsOfWinner, true);
  if (end.verdict == Grade::differs) return verdict_of(Grade::differs, {}, end.reason);
  Verdict out = verdict_of(worst, safe_of(end),
                           "equal step by step; against the root by itself it is " + std::string(name_of(end.verdict)));
  out.cancelled = end.cancelled;
  return out;
}

}  // namespace

Verdict ProgramJudge::judge_with(const Tree& tree, const Node& node, const PlanJudging& how, bool is_winner) const {
  if (auto no = beyond(*node.program, how_.device)) return *std::move(no);
  if (node.candidate.plan) {
    const auto made = made_of(root_.program, how_.target, *node.candidate.plan);
    if (!made) return verdict_of(Grade::invalid, {}, made.error());
    const JudgedPlan judged = judge_plan(root_, *made, how);
    Verdict out = verdict_of(judged.verdict, judged.safe, judged.reason);
    out.cancelled = judged.cancelled;
    return out;
  }
  if (!is_winner)
    return pair_verdict(
        pair_answer(root_, *tree.at(*node.parent).program, *node.program, how, kEvaluations, kSeconds, false));
  const ApartAnswer whole =
      pair_answer(root_, root_.program, *node.program, how, kEvaluationsOfWinner, kSecondsOfWinner, false);
  const bool is_open = whole.verdict == Grade::numeric || whole.verdict == Grade::undecided;
  return is_open && !whole.cancelled ? along_the_way(root_, tree, node, how) : pair_verdict(whole);
}

Verdict ProgramJudge::judge(const Tree& tree, const Node& node) { return judge_with(tree, node, how_.plans, false); }

Verdict ProgramJudge::judge_winner(const Tree& tree, const Node& node) {
  PlanJudging how = how_.plans;
  how.seed ^= kOtherSeed;
  how.seconds = std::max(how.seconds, kSecondsOfWinner);
  return judge_with(tree, node, how, true);
}

}  // namespace steptp::search
