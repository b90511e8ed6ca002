#pragma once

// A plan's end judged against its root: at once, or link by link where that does not show it.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/optimize/changed_section.h"
#include "steptp/planner/plan_maker.h"
#include "steptp/text/document.h"
#include "steptp/verify/judge_worker.h"

namespace steptp {

/// How plans are judged.
struct PlanJudging {
  std::vector<std::string> command;  ///< of a process that judges; empty: in this one
  std::uint64_t seed = 1;
  /// Operations of the judge for one plan, all links together; some 150 ns each. Work and not time, so that verdicts do
  /// not depend on the machine.
  std::uint64_t work = 100'000'000;
  /// Where a limit on the wall clock is wanted besides, for one plan; 0: none. What it cut short says so.
  double seconds = 0;
  std::function<bool()> go_on;
};

/// One judged pair of the chain from the root to the end.
struct PlanLink {
  std::string what;  ///< "root to end", "group 2", "group 2, step 7 (loop_split)"
  ApartAnswer answer;
};

struct JudgedPlan {
  Grade verdict = Grade::undecided;
  /// Where the chance of error of a link counts, the logarithm of their sum.
  std::optional<double> bound_log2;
  Json safe;                    ///< of the end against the root: true, false or null
  Json safe_by;                 ///< "proof", "search" or null
  std::vector<PlanLink> links;  ///< one where the end was shown at once; they carry certificates
  /// The groups that could not be shown equal or safe, in the order of the program, and why the first was not. All that
  /// are not shown equal are there; of an end that is not shown safe only the first.
  std::vector<std::size_t> culprits;
  std::string reason;
  /// Whether the other groups were shown to be equal without the culprits: then the links are theirs.
  bool has_shown_part = false;
  bool cancelled = false;

  [[nodiscard]] bool is_safe() const { return safe.as_bool() && *safe.as_bool(); }
  [[nodiscard]] bool is_unsafe() const { return safe.as_bool() && !*safe.as_bool(); }
};

/// The plan without some of its groups, whose expressions stay as they came. The answer to the whole plan has shown
/// that its other groups are equal, and has their links: what is left to ask is whether their end is safe.
[[nodiscard]] MadePlan plan_without(const Program& root, const MadePlan& made, const std::vector<std::size_t>& groups);

/// Judges plans of one program, one after the other: no pair is judged twice.
class PlanJudge {
 public:
  PlanJudge(const Document& root, PlanJudging how)
      : root_(root), how_(std::move(how)), shapes_(shapes_of(root.program)) {}

  /// `by_links`: the end against the root has been asked of a plan like this one in vain, so it is judged by its
  /// groups.
  [[nodiscard]] JudgedPlan judge(const MadePlan& made, bool by_links = false);
  /// What `plan_without` makes of a plan with a shown part, and the answer to that plan.
  [[nodiscard]] JudgedPlan judge_part(const MadePlan& part, JudgedPlan whole);
  /// The program as it is, against itself.
  [[nodiscard]] JudgedPlan judge_root();
  /// The work of all questions so far.
  [[nodiscard]] std::uint64_t spent() const { return spent_; }
  /// Whatever the plan, no question is asked once so much work has been spent.
  void end_by(std::uint64_t work) { end_ = work; }

 private:
  friend class ChainJudge;

  const Document& root_;
  PlanJudging how_;
  TensorShapes shapes_;
  std::uint64_t spent_ = 0;
  std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max();
  struct Known {
    ApartAnswer answer;
    std::uint64_t most = 0;  ///< evaluations that it was allowed
  };
  /// By the texts of both sides and what was asked of them.
  std::map<std::string, Known> known_;
};

[[nodiscard]] JudgedPlan judge_plan(const Document& root, const MadePlan& made, const PlanJudging& how);

/// {"verdict","bound_log2","safe","safe_by","links":[{"what",...as verify answers}]}
[[nodiscard]] Json to_json(const JudgedPlan& judged);

}  // namespace steptp
