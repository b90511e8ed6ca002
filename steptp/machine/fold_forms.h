#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "steptp/machine/code.h"
#include "steptp/machine/instance.h"
#include "steptp/machine/solver.h"

namespace steptp::certify {

/// What can be seen of an accumulation without evaluating anything.

/// The accumulator is an operand of the expression, through sums and products alone.
[[nodiscard]] bool has_accumulator(const Code& code, std::uint32_t number);

/// What is charged in any order. A sum that is done once for an element is one round of it in the first program, unless
/// it is done in a wider type, and an operation as it is written in the second.
[[nodiscard]] inline bool is_sum_of_rounds(const Code& code, const StatementCode& statement, bool is_first_program) {
  if (statement.accumulation != ArithmeticOp::add) return false;
  if (statement.has_rounds) return true;
  return is_first_program && code.nodes[statement.right].dtype == statement.dtype;
}

/// The factors of X=X+a*b with inputs of the type of X, which is what most long sums are made of.
[[nodiscard]] std::optional<std::pair<const Access*, const Access*>> factors_of_sum(const Code& code,
                                                                                    const StatementCode& statement);

/// The iterations that are neighbours of one among the writes to its cell. Subscripts that are single loops leave
/// nothing to search: the others run, from the first private one on.
[[nodiscard]] std::vector<Range> neighbours_of(const StatementCode& statement, const Slots& slots);

/// What an accumulation of integers starts from.
[[nodiscard]] std::int64_t integer_identity(const StatementCode& statement);

}  // namespace steptp::certify
