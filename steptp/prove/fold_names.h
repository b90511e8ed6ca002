#pragma once

#include <utility>
#include <vector>

#include "steptp/prove/arena.h"

namespace steptp::forms {

/// Names for the variables of a fold that depend on how they are used, and on
/// nothing else.
class FoldNames {
 public:
  FoldNames(Arena& arena, ArithmeticOp op) : arena_(arena), op_(op) {}

  /// The fold as a node.
  [[nodiscard]] PolynomialId named(std::vector<VariableId> variables, std::vector<ConditionId> conditions,
                                   PolynomialId body);

 private:
  /// A variable, and how it is used: its name does not count.
  struct Signed {
    VariableId variable;
    std::vector<std::uint32_t> key;
    std::pair<std::int64_t, std::int64_t> range;
  };
  /// What a fold has inside, once its variables are counted from their starts.
  struct Inside {
    std::vector<ConditionId> conditions;
    PolynomialId body = 0;
    std::uint32_t height = 0;
  };
  [[nodiscard]] std::vector<Signed> in_order(const std::vector<VariableId>& variables, const Inside& inside);
  [[nodiscard]] Generator built(const std::vector<Signed>& order, const Inside& inside);
  [[nodiscard]] std::uint32_t height_of(const std::vector<ConditionId>& conditions, PolynomialId body) const;
  /// A fold over one value: of max and min it starts from -inf or inf, which a
  /// NaN does not replace.
  [[nodiscard]] PolynomialId with_start(PolynomialId body);
  /// A variable counted from another start or backwards, so that its uses look
  /// the same wherever the loop began.
  [[nodiscard]] VariableId shifted(VariableId variable, std::vector<ConditionId>& conditions, PolynomialId& body);

  Arena& arena_;
  ArithmeticOp op_;
};

}  // namespace steptp::forms
