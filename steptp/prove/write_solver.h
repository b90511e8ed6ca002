#pragma once

#include <map>
#include <vector>

#include "steptp/prove/flow_room.h"

namespace steptp::forms {

/// Which iterations of a statement write an element.
class WriteSolver : private FlowRoom {
 public:
  explicit WriteSolver(FlowParts& parts) : FlowRoom(parts) {}

  /// `fixed`: loops whose values are known, by number.
  [[nodiscard]] SolvedWrite solve(std::size_t writer, const std::vector<Affine>& element,
                                  const std::map<std::size_t, Affine>& fixed);

 private:
  /// A loop that a subscript takes apart by //, and the least divisor.
  struct Digit {
    VariableId variable = 0;
    std::int64_t divisor = 0;
  };
  [[nodiscard]] std::optional<Digit> digit_in(const std::vector<Affine>& subscripts,
                                              const std::vector<VariableId>& unknown);
  void split_loops(std::vector<Affine>& subscripts, std::vector<Affine>& loops, SolvedWrite& solved);
  void note_free_loops(SolvedWrite& solved);
  /// What a guard says, part by part.
  [[nodiscard]] std::vector<ConditionId> parts_of(const Expr& guard, const Frame& frame);
  /// What the guards say that read nothing.
  [[nodiscard]] std::vector<ConditionId> guards_without_data(std::size_t writer, const Frame& frame);
};

}  // namespace steptp::forms
