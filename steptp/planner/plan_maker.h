#pragma once

// A plan for a whole program, chosen by what is expected of each of its parts. docs/optimize.md tells how.

#include <atomic>
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
  /// Told how many candidates have been tried.
  std::function<void(std::size_t tried)> progress;
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

/// Looks for the plan of a program with the smallest expected time, and for the next best where that is rejected.
class PlanMaker {
 public:
  PlanMaker(const Program& root, PlanTarget target, DeviceRates rates, PlanningOptions options);

  /// The plan with the smallest expected time of those that are not rejected, whose groups pass `check` for the device
  /// one by one. Nothing where no candidate is left.
  [[nodiscard]] std::optional<MadePlan> best();
  /// The whole form that the last plan starts from is out.
  void reject();
  /// These groups of the last plan, counted in the order of the program, are not to be made again. Where `plainly`,
  /// their expressions get a thread for each element, or stay as they came: nothing is easier to show.
  void reject(const std::vector<std::size_t>& groups, bool plainly);

  /// How many were tried.
  [[nodiscard]] std::size_t candidates() const { return tried_; }
  /// Not all of them were tried that should have been, because `go_on` said no.
  [[nodiscard]] bool was_cut() const { return was_cut_; }

 private:
  struct Candidate {
    enum class State : std::uint8_t { untried, possible, out };
    Proposal proposal;
    State state = State::untried;
    bool is_checked = false;
    double seconds = 0;  ///< where it is possible
  };
  /// What one family of moves proposes at one place, longest runs first. Shorter ones are for where the longer are out.
  struct Family {
    std::vector<std::size_t> candidates;
    bool is_last_resort = false;  ///< tried where no other makes anything of the place
  };
  struct Form {
    PreparedProgram prepared;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<Program>> sections;
    std::vector<Candidate> candidates;
    std::vector<std::vector<Family>> families;  ///< by the expression where they begin
    bool is_out = false;
  };
  struct Chain {
    double seconds = 0;
    std::vector<std::size_t> candidates;
  };

  void collect(Form& form);
  void try_one(Form& form, Candidate& candidate) const;
  /// Tries the first candidate of a family that is possible, unless one is known; and then the first of each shorter
  /// run, where `shorter` says so.
  void try_family(Form& form, const Family& family, bool shorter);
  /// Whether something made of the place takes not much longer than it has to.
  [[nodiscard]] bool is_good(const Form& form, std::size_t place) const;
  /// Something is known of every place that a chain can come to.
  void expand(Form& form);
  void expand_at(Form& form, std::size_t place);
  /// Tries the other parameters for the runs of a chain; false where all of them have been.
  [[nodiscard]] bool tune(Form& form, const Chain& chain);
  [[nodiscard]] std::optional<Chain> cheapest(const Form& form) const;
  /// The cheapest of which no other parameters are left to try, and whose groups pass `check`.
  [[nodiscard]] std::optional<Chain> settled(Form& form);
  /// False where one of them does not pass, which is then out.
  [[nodiscard]] static bool pass_check(Form& form, const Chain& chain, const Device* device);
  [[nodiscard]] std::optional<MadePlan> compose(Form& form, const Chain& chain);
  /// So many pieces of work, side by side.
  void run(std::size_t count, const std::function<void(std::size_t)>& work);
  [[nodiscard]] bool goes_on();

  Program root_;
  PlanTarget target_;
  DeviceRates rates_;
  PlanningOptions options_;
  std::vector<Form> forms_;  ///< the one to begin with first
  std::atomic<std::size_t> tried_ = 0;
  std::atomic<bool> was_cut_ = false;
  bool has_original_ = false;  ///< the first form is the program as it came, for where the others fail
  std::size_t last_form_ = 0;
  Chain last_;
};

}  // namespace steptp
