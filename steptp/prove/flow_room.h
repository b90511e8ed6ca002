#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/prove/arena.h"
#include "steptp/prove/shared.h"
#include "steptp/prove/values.h"
#include "steptp/prove/writers.h"

namespace steptp::forms {

struct FlowParts;

/// An iteration of a statement: the values of its loops.
struct Frame {
  std::size_t statement = 0;
  std::vector<Affine> loops;
  bool as_accumulator = false;  ///< the statement's own accumulator reads as the identity, or as this
  std::optional<PolynomialId> accumulator = std::nullopt;
};

/// A writer solved for its loops: which iterations write a given element.
struct SolvedWrite {
  std::vector<Affine> loops;                    ///< in terms of the element and of `free`
  std::vector<std::optional<VariableId>> free;  ///< where the loop's value is a free variable
  std::vector<bool> is_partial;                 ///< the loop's value is neither determined nor free
  std::vector<VariableId> unknown;              ///< all that are left free, digits of loops included
  std::vector<ConditionId> conditions;
};

/// A write that may be the last one before a read.
struct CandidateWrite {
  std::size_t statement = 0;
  std::vector<Affine> loops;
  ConditionId condition = 0;
  /// Where the condition fails, an earlier round of this many outer loops may have written the element.
  std::size_t outer_rounds = 0;
};

/// Rounds of an accumulation that reach a read: for all values of `free` at which the conditions hold.
struct Piece {
  std::vector<Affine> loops;
  std::vector<VariableId> free;
  std::vector<ConditionId> conditions;
};

/// How a program is followed.
struct FlowOptions {
  /// Recurrences that go through other statements are followed from round to round, unless they are folds. That ends
  /// where rounds are few, and says the same whatever the subscripts are.
  bool unrolls = false;
  /// Of the program that is to be no worse: written sums with an accumulation in them count as a part of it, which
  /// makes their error bound greater, never less.
  bool overestimates_sums = false;
  /// Sums into a tensor that are done once for an element are no rounds but operations in their order.
  bool keeps_order_of_sums = false;
};

/// What every part of a flow has: the arena, the statements, the other parts, and the words that several of them use.
class FlowRoom {
 public:
  FlowRoom(const FlowRoom&) = delete;
  FlowRoom& operator=(const FlowRoom&) = delete;

 protected:
  explicit FlowRoom(FlowParts& parts);
  ~FlowRoom() = default;

  [[nodiscard]] bool keeps_operations() const { return arena_.laws() == Laws::as_written; }
  [[nodiscard]] Place place(std::size_t first, std::size_t second) const { return writers_.place(first, second); }
  /// Less, equal, greater; nothing where it depends.
  [[nodiscard]] std::optional<int> order(const Affine& left, const Affine& right);
  [[nodiscard]] PolynomialId to_real(const Value& value);
  [[nodiscard]] Value integer_of(PolynomialId polynomial);
  [[nodiscard]] SolvedWrite solve(std::size_t writer, const std::vector<Affine>& element,
                                  const std::map<std::size_t, Affine>& fixed = {});
  [[nodiscard]] Value right_side(std::size_t statement, const std::vector<Affine>& loops, bool as_accumulator,
                                 std::optional<PolynomialId> accumulator = std::nullopt);

  FlowParts& parts_;
  Arena& arena_;
  const Writers& writers_;
  const AccessTable& table_;
  Hazards& hazards_;
};

}  // namespace steptp::forms
