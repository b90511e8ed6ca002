#pragma once

// A plan's end judged against its root: at once, or link by link where that does not show it.

#include <optional>
#include <string>
#include <vector>

#include "steptp/planner/plan_maker.h"
#include "steptp/text/document.h"
#include "steptp/verify/judge_worker.h"

namespace steptp {

/// How plans are judged.
struct PlanJudging {
  std::vector<std::string> command;  ///< of a process that judges; empty: in this one
  std::uint64_t seed = 1;
  double seconds = 15;  ///< for one plan, all links together
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
  /// The group that could not be shown equal or safe, in the order of the program, and why.
  std::optional<std::size_t> culprit;
  std::string reason;
  bool cancelled = false;

  [[nodiscard]] bool is_safe() const { return safe.as_bool() && *safe.as_bool(); }
  [[nodiscard]] bool is_unsafe() const { return safe.as_bool() && !*safe.as_bool(); }
};

[[nodiscard]] JudgedPlan judge_plan(const Document& root, const MadePlan& made, const PlanJudging& how);
/// The judgement of a program as it is, against itself.
[[nodiscard]] JudgedPlan judge_vanilla(const Document& root, const PlanJudging& how);

/// {"verdict","bound_log2","safe","safe_by","links":[{"what",...as verify answers}]}
[[nodiscard]] Json to_json(const JudgedPlan& judged);

}  // namespace steptp
