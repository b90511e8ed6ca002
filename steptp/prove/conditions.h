#pragma once

#include <vector>

#include "steptp/prove/room.h"

namespace steptp::forms {

/// Conditions on indices and on values. What the knowledge of the moment decides is `always` or `never`.
class Conditions : private Room {
 public:
  explicit Conditions(Arena& arena);

  [[nodiscard]] ConditionId always() const { return always_; }
  [[nodiscard]] ConditionId never() const { return never_; }
  [[nodiscard]] ConditionId nonnegative(Affine affine);
  [[nodiscard]] ConditionId zero(Affine affine);
  [[nodiscard]] ConditionId compare(CompareOp op, PolynomialId left, PolynomialId right);
  [[nodiscard]] ConditionId boolean(GeneratorId generator);
  [[nodiscard]] ConditionId negation(ConditionId condition);
  [[nodiscard]] ConditionId conjunction(const std::vector<ConditionId>& parts);
  [[nodiscard]] ConditionId disjunction(const std::vector<ConditionId>& parts);
  /// Whether more is done for it than to compare inputs, numbers and indices: as written, that may overflow.
  [[nodiscard]] bool computes(ConditionId condition) const;
  /// Whether a program may do without the condition where its outcome is known: it computes nothing, or it is assumed,
  /// so that it was computed before.
  [[nodiscard]] bool may_be_left_out(ConditionId condition) const;

 private:
  [[nodiscard]] bool is_plain_integer(const Affine& affine) const;
  [[nodiscard]] bool is_plain_atom(AtomId id) const;
  /// Both connectives: `neutral` parts are left out, a `deciding` one is the answer.
  [[nodiscard]] ConditionId combined(Condition::Kind kind, const std::vector<ConditionId>& parts, ConditionId neutral,
                                     ConditionId deciding);

  /// Whether what runs has this very value. As written, what is computed may overflow: A*A-A*A is then NaN.
  [[nodiscard]] bool is_without_rounding(PolynomialId value) const;
  [[nodiscard]] bool is_never_nan(PolynomialId value) const {
    return !traits(value).may_be_nan && is_without_rounding(value);
  }

  ConditionId never_;
  ConditionId always_;
};

}  // namespace steptp::forms
