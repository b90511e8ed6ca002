#pragma once

// The edits that slips are made of. Each makes all programs that are one such edit away, in the order of the text, in
// those expressions only that a step has changed.

#include <string>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp::dataset {

/// A program with a slip, and the expression that has it.
struct Edited {
  Program program;
  std::size_t expression = 0;  ///< its number
};
using Edits = std::vector<Edited>;

struct EditInput {
  const Program* before = nullptr;
  const Program* after = nullptr;
};

// Conditions.
[[nodiscard]] Edits without_guard(const EditInput& input);
[[nodiscard]] Edits with_guard_one_off(const EditInput& input);
[[nodiscard]] Edits without_condition(const EditInput& input);
[[nodiscard]] Edits with_wrong_neutral(const EditInput& input);
// Subscripts.
[[nodiscard]] Edits with_stale_index(const EditInput& input);
[[nodiscard]] Edits with_other_index(const EditInput& input);
[[nodiscard]] Edits with_wrong_stride(const EditInput& input);
[[nodiscard]] Edits without_offset(const EditInput& input);
[[nodiscard]] Edits with_swapped_subscripts(const EditInput& input);
// Loops and order.
[[nodiscard]] Edits with_short_loop(const EditInput& input);
[[nodiscard]] Edits with_concurrent_reduction(const EditInput& input);
[[nodiscard]] Edits with_consumer_first(const EditInput& input);
[[nodiscard]] Edits without_live_nest(const EditInput& input);
[[nodiscard]] Edits without_swapped_nest(const EditInput& input);
[[nodiscard]] Edits with_narrow_scope(const EditInput& input);
[[nodiscard]] Edits with_old_scope(const EditInput& input);
// Calculations.
[[nodiscard]] Edits without_rescale(const EditInput& input);
[[nodiscard]] Edits without_factor(const EditInput& input);
[[nodiscard]] Edits without_term(const EditInput& input);
[[nodiscard]] Edits with_wrong_sign(const EditInput& input);
[[nodiscard]] Edits with_wrong_exponent(const EditInput& input);
[[nodiscard]] Edits without_maximum_so_far(const EditInput& input);

}  // namespace steptp::dataset
