#pragma once

#include <vector>

#include "steptp/prove/store.h"

namespace steptp::forms {

/// A fold that is not in normal form yet: of `body`, over all values of
/// `variables` at which the conditions hold.
struct Fold {
  ArithmeticOp op = ArithmeticOp::add;
  std::vector<VariableId> variables;
  std::vector<ConditionId> conditions;
  PolynomialId body = 0;

  /// The parts of a conjunction one by one, each once.
  void add_condition(const Store& store, ConditionId condition);
  [[nodiscard]] bool is_own(VariableId variable) const;
};

}  // namespace steptp::forms
