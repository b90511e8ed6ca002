#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/analysis/interval.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/inputs.h"
#include "steptp/machine/code.h"
#include "steptp/machine/solver.h"

namespace steptp::certify {

/// Looks for output elements whose evaluation meets given conditions of one program.
class Coverage {
 public:
  Coverage(const Code& code, const InputModel& model);

  /// Elements at the edges of comparisons on indices, in guards and in if_then_else: where one just holds and where it
  /// just fails.
  [[nodiscard]] std::vector<OutputPoint> edges();

  /// Elements that the first and the last iteration of each statement lead to: one at least in every part of a tensor
  /// that has a writer of its own.
  [[nodiscard]] std::vector<OutputPoint> regions();

  /// Elements for which a guard holds as a whole, and for which a condition on indices does and does not: both sides of
  /// every choice that does not depend on data.
  [[nodiscard]] std::vector<OutputPoint> chosen_elements();

  /// An element of an input that an iteration reads, and an output element that it leads to.
  struct Peak {
    std::size_t input = 0;
    std::int64_t position = 0;
    OutputPoint point;
    auto operator<=>(const Peak&) const = default;  // NOLINT(modernize-use-nullptr): what the compiler generates
  };
  /// Where a program takes the greatest or least of many, single iterations do not show unless they win: the elements
  /// read in the first and last rounds of every loop, at the edges of conditions on indices, and one beside them.
  [[nodiscard]] std::vector<Peak> peaks();

  struct Witness {
    bool is_infeasible = false;  ///< the outcome does not exist
    std::vector<OutputPoint> points;
  };
  /// Elements that may lead to an outcome of a branch.
  [[nodiscard]] Witness witness(std::uint32_t branch, bool outcome);

  /// True where no iteration with this outcome leads to an element of an output: what it computes is never used.
  [[nodiscard]] bool is_unused(std::uint32_t branch, bool outcome);

  /// The branches of which an outcome must be seen: those that outputs can depend on.
  [[nodiscard]] bool matters(std::uint32_t branch) const;
  /// "a<5 in 2/0", for messages.
  [[nodiscard]] std::string text(std::uint32_t branch) const;

 private:
  [[nodiscard]] Ranges box_of(std::uint32_t statement) const;
  /// The output elements that one execution of a statement leads to, a few of them.
  void reach(std::uint32_t statement, const std::vector<std::int64_t>& iteration, std::vector<OutputPoint>& out);
  void mark_live();
  [[nodiscard]] bool has_running_extremum() const;
  /// Iterations of a statement at which something begins or ends.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> turning_points(std::uint32_t statement) const;
  /// The elements of inputs that an iteration reads, through definitions that are written element by element.
  void collect_reads(std::uint32_t statement, const std::vector<std::int64_t>& iteration, int depth, int& visits,
                     std::vector<std::pair<std::size_t, std::int64_t>>& out) const;
  /// The points of a box of loops that keep the bounds and the statement's guards; empty where there are none.
  [[nodiscard]] std::vector<Range> within(std::uint32_t statement, const Bounds& bounds, std::vector<Range> box) const;
  [[nodiscard]] std::vector<Range> whole_box(std::uint32_t statement) const;
  /// No iteration of the box leads to an element of an output.
  [[nodiscard]] bool leads_nowhere(std::uint32_t statement, const std::vector<Range>& box) const;
  [[nodiscard]] bool all_lead_nowhere(std::uint32_t statement, const Bounds& bounds, const std::vector<Range>& box,
                                      int& trials) const;
  [[nodiscard]] bool is_output(std::uint32_t tensor) const;
  /// The output that a statement writes; empty where it writes none.
  [[nodiscard]] std::string goal_of(const StatementCode& statement) const;

  const Code& code_;
  const InputModel& model_;
  std::vector<bool> live_;                           ///< tensors that outputs depend on
  std::vector<std::vector<std::uint32_t>> readers_;  ///< by tensor: accesses in right sides
  std::vector<std::uint32_t> owner_;                 ///< by access: its statement
  std::vector<bool> read_in_subscripts_;             ///< by tensor
  std::uint64_t steps_;
};

}  // namespace steptp::certify
