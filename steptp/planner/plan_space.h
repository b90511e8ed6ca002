#pragma once

// Whole plans of one program and what lies next to each of them: what searches walk through.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "steptp/costs/cost_model.h"
#include "steptp/planner/plan_maker.h"

namespace steptp {

/// A plan as its parts: what comes before the groups, and the groups in the order of the program. Every expression of
/// the prepared program belongs to one group.
struct WholePlan {
  std::vector<PlannedMove> prepared;
  std::vector<PlannedGroup> groups;
};

/// The same as one list of moves with its places in the whole program.
[[nodiscard]] Plan plan_of(const Program& root, const std::string& target, const WholePlan& whole);
/// What it makes of the root; the text says which move is refused and why.
[[nodiscard]] Result<MadePlan, std::string> made_of(const Program& root, const std::string& target,
                                                    const WholePlan& whole);

/// {"prepared":[moves],"groups":[{"first","expressions","moves","seconds"}]}
[[nodiscard]] Json to_json(const WholePlan& whole);
[[nodiscard]] Result<WholePlan, std::string> whole_plan_from_json(const Json& json);

/// One move away from a plan.
struct PlanEdge {
  enum class Kind : std::uint8_t { insert, remove, retune, start };
  Kind kind = Kind::insert;
  std::string move;         ///< what is inserted, removed or retuned
  std::uint32_t place = 0;  ///< the expression where its group begins
  WholePlan plan;
  double seconds = 0;  ///< expected of the whole: the sum over its groups
};

/// The plans of one program, made of what the planner proposes and of other parameters of the same moves. Every answer
/// is a pure function of its arguments, whatever was asked before, so that a search can be resumed anywhere.
class PlanSpace {
 public:
  /// What plans are expected to take is said by the model, which outlives the space; without one by the analytic model.
  PlanSpace(const Program& root, PlanTarget target, DeviceRates rates, unsigned jobs,
            const costs::CostModel* model = nullptr);

  /// The plan of the smallest expected time, as `optimize` chooses it; nothing where the program stays as it is.
  [[nodiscard]] const std::optional<WholePlan>& best() const { return best_; }
  /// Each expression as it came.
  [[nodiscard]] WholePlan vanilla() const;

  /// Plans that differ from one by a move: one is inserted, removed or has other parameters, and what that leaves open
  /// is completed by what is expected to be fastest. At most so many are scored, drawn by the seed where there are
  /// more; the fastest first. Those that fail `check` for the device on their own expressions are not among them.
  [[nodiscard]] std::vector<PlanEdge> edges(const WholePlan& from, std::uint64_t seed, std::size_t most) const;
  /// Moves for every expression drawn by the seed.
  [[nodiscard]] WholePlan random(std::uint64_t seed) const;
  /// How many candidates were made and estimated so far.
  [[nodiscard]] std::size_t scored() const;

 private:
  struct Form {
    PreparedProgram prepared;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<Program>> sections;
    std::vector<Proposal> proposals;  ///< those whose expressions can be cut out, and each expression as it is
    std::vector<Proposal> basis;      ///< of each family of moves at each place the first that is possible
  };
  /// Seconds that are expected of moves for a section; nothing where they are refused or fail `check`.
  [[nodiscard]] std::optional<double> score(const Form& form, const Proposal& proposal) const;
  /// The same of many, side by side.
  [[nodiscard]] std::vector<std::optional<double>> scores(const Form& form, const std::vector<Proposal>& all) const;
  [[nodiscard]] const Form& form_of(const WholePlan& plan) const;
  /// The fastest groups of the basis for the expressions from `first` to before `end`, without one.
  [[nodiscard]] std::optional<std::vector<PlannedGroup>> complete(const Form& form, std::uint32_t first,
                                                                  std::uint32_t end, const Proposal* without) const;
  [[nodiscard]] std::optional<WholePlan> with(const Form& form, const WholePlan& from, const PlannedGroup& group) const;
  [[nodiscard]] std::vector<Proposal> near(const Form& form, const WholePlan& from) const;
  void add_removals(const Form& form, const WholePlan& from, std::vector<PlanEdge>& out) const;
  void add_other_forms(const WholePlan& from, std::vector<PlanEdge>& out) const;
  void run(std::size_t count, const std::function<void(std::size_t)>& work) const;
  void collect_basis(Form& form);

  Program root_;
  PlanTarget target_;
  DeviceRates rates_;
  unsigned jobs_;
  const costs::CostModel* model_;
  std::vector<Form> forms_;
  std::optional<WholePlan> best_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::optional<double>> known_;  ///< by form, section and moves
};

}  // namespace steptp
