#pragma once

// Attacks on programs of any origin: one element of an output is evaluated, one execution of a statement that it
// depends on is chosen, and the statement is changed so that this execution is another one.

#include <optional>
#include <string>
#include <vector>

#include "testing/attacker.h"

namespace steptp::testing {

/// The program, the inputs, the output element, and the place of the change.
struct HostSite {
  std::string host;
  Program program;
  MeaningInputs inputs;
  OutputElement element;
  Instance instance;
  EquationPtr equation;
  std::vector<StampEntry> entries;  ///< of the statement
  std::optional<ArithmeticOp> accumulates;
  ExprPtr target;  ///< a part of the right side
  bool target_is_float = true;
  mpq_class target_value;  ///< where it is exact
  bool target_is_exact = false;
  ExprPtr data;  ///< a float read of the right side with an exact value; may be null
  double data_value = 0;
};

/// A program and a place in it; nothing where this draw came to nothing.
[[nodiscard]] std::optional<HostSite> draw_site(Random& random);

/// The program with the equation replaced by another.
[[nodiscard]] Program with_equation(const Program& program, const EquationPtr& from, const EquationPtr& to);
/// The same with the target replaced on the right side.
[[nodiscard]] Program with_target(const HostSite& site, const ExprPtr& replacement);
/// The condition on loop indices that holds at the execution alone; null where there is no loop.
[[nodiscard]] ExprPtr execution_condition(const HostSite& site);
/// A condition on loop indices that holds at the execution and at few others.
[[nodiscard]] ExprPtr index_condition(const HostSite& site, Random& random);

}  // namespace steptp::testing
