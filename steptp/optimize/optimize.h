#pragma once

// A fast, verified form of a program, chosen without measuring: what the verb `optimize` does for one program.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steptp/optimize/judged_plan.h"

namespace steptp {

struct OptimizeRequest {
  PlanTarget target;
  DeviceRates rates;
  unsigned jobs = 1;
  bool require_safe = false;
  bool with_timing = false;  ///< the JSON answer says how long it took; otherwise it is the same on every run
  PlanJudging judging;
  /// Asked now and then: where it says no, the best that is verified by then is the answer.
  std::function<bool()> go_on;
  /// What is being done, for people: "candidates" with numbers, "judging" with the number of the plan.
  std::function<void(std::string_view what, std::size_t done, std::size_t all)> progress;
};

struct Optimized {
  Program program;  ///< the fast form, or the program as it came
  Plan plan;        ///< no moves where it is the program as it came
  std::size_t prepared = 0;
  std::vector<PlannedGroup> groups;
  Recipe recipe;
  JudgedPlan judged;
  std::optional<Estimate> expected;  ///< of the program
  std::optional<Estimate> vanilla;   ///< of the program as it came
  bool fallback = false;             ///< it is the program as it came
  bool fits = true;                  ///< it passes `check` for the device
  bool interrupted = false;
  std::string reason;  ///< of a fallback, or where it was interrupted
  std::size_t candidates = 0;
  std::size_t judged_plans = 0;
  double planning_seconds = 0;  ///< wall clock
  double judging_seconds = 0;
  // Where it was chosen by a search that measured.
  std::optional<double> measured_seconds;
  std::size_t samples = 0;
};

/// The root has been read without errors, and `find_unusable` found nothing.
[[nodiscard]] Optimized optimize(const Document& root, const OptimizeRequest& request);

/// The program as it came, for a reason.
[[nodiscard]] Optimized kept_as_it_came(const Document& root, const OptimizeRequest& request, std::string reason);

/// Why the plan is none for this device: it is for one of another name, or of no device's. Empty where it is one.
[[nodiscard]] std::string other_target(const Plan& plan, const DeviceRates& rates);

/// A plan made before for this program and device, checked and judged: it is used as it is or not at all. The text says
/// why it is no plan for this program.
[[nodiscard]] Result<Optimized, std::string> optimize_by(const Document& root, const Plan& plan,
                                                         const OptimizeRequest& request);

/// {"program","device","leir","plan","recipe","verdict","safe","expected_s","measured_s","samples","fallback","reason",
/// "expected","vanilla_s","candidates","interrupted"}, and with timing "planning_ms","judging_ms"
[[nodiscard]] Json to_json(const Optimized& optimized, const OptimizeRequest& request);
/// Two or three lines: the verdict, what is expected, what was measured.
[[nodiscard]] std::string summary(const Optimized& optimized, const OptimizeRequest& request);
/// The plan in words.
[[nodiscard]] std::string explain(const Optimized& optimized, const OptimizeRequest& request);

}  // namespace steptp
