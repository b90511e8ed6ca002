#pragma once

// A plan for a whole program, chosen by what is expected of each of its parts. docs/optimize.md tells how.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/estimate/estimate.h"
#include "steptp/planner/prepare.h"
#include "steptp/planner/proposals.h"
#include "steptp/planner/section.h"

namespace steptp {

struct PlanningOptions {
  unsigned jobs = 1;
  /// Asked before each candidate; what is not tried by then is not chosen.
  std::function<bool()> go_on;
  /// Told how many of the candidates are done.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

/// One group of a plan: the expressions that one candidate makes a kernel (or some) of.
struct PlannedGroup {
  std::uint32_t first = 0;  ///< in the prepared program
  std::uint32_t expressions = 1;
  std::vector<PlannedMove> moves;  ///< places counted from the first expression; empty where it stays as it is
  double seconds = 0;              ///< that are expected of it alone
};

struct MadePlan {
  Plan plan;
  Moved moved;
  std::size_t prepared = 0;          ///< so many of its moves come before the groups
  std::vector<PlannedGroup> groups;  ///< in the order of the program; the plan makes the last one first
  double seconds = 0;                ///< the sum over the groups
};

/// Tries the candidates of a program once, and answers with one plan after the other.
class PlanMaker {
 public:
  PlanMaker(const Program& root, PlanTarget target, DeviceRates rates, PlanningOptions options);

  /// The plan with the smallest expected time of those that are not rejected, whose groups pass `check` for the device
  /// one by one. Nothing where no candidate is left.
  [[nodiscard]] std::optional<MadePlan> best();
  /// The last plan is not to be made again: without a group, counted in the order of the program, the whole form that
  /// it starts from is out.
  void reject(std::optional<std::size_t> group);

  [[nodiscard]] std::size_t candidates() const { return candidates_; }
  /// Not all of them were tried, because `go_on` said no.
  [[nodiscard]] bool was_cut() const { return was_cut_; }

 private:
  struct Candidate {
    Proposal proposal;
    std::optional<double> seconds;  ///< nothing: refused, or rejected
    bool is_checked = false;
  };
  struct Form {
    PreparedProgram prepared;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<Program>> sections;
    std::vector<Candidate> candidates;
    bool is_out = false;
  };
  struct Chain {
    double seconds = 0;
    std::vector<std::size_t> candidates;
  };

  void collect(Form& form);
  void try_all();
  void try_one(const Form& form, Candidate& candidate) const;
  [[nodiscard]] std::optional<Chain> cheapest(const Form& form) const;
  /// False where one of them does not pass, which is then out.
  [[nodiscard]] bool pass_check(Form& form, const Chain& chain) const;
  [[nodiscard]] std::optional<MadePlan> compose(Form& form, const Chain& chain);

  Program root_;
  PlanTarget target_;
  DeviceRates rates_;
  PlanningOptions options_;
  std::vector<Form> forms_;
  std::size_t candidates_ = 0;
  bool was_cut_ = false;
  std::size_t last_form_ = 0;
  Chain last_;
};

}  // namespace steptp
