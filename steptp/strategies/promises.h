#pragma once

// What a step has to keep of words that only those who make them know: depths (docs/language.md R21) and matrix nests
// (R20).

#include <optional>

#include "steptp/strategies/strategy.h"

namespace steptp {

inline constexpr Precondition kMatrixNests = {
    Check::fact, "matrix-nests", "the expressions with T loops, units and fragments stay as they are: make it before"};

/// The program, in which tensors have a depth no more (`s` for `s2`) where a step has taken away what the depth
/// promises. A depth is a permission, so that giving it back is always legal.
[[nodiscard]] Program with_kept_depths(Program program);

/// Some expression has T loops, loops over units or tensors in f.
[[nodiscard]] bool has_matrix_nests(const Program& program);
/// A step changed such an expression.
[[nodiscard]] std::optional<Refusal> refuse_matrix_change(const Program& before, const Program& after, const Site& at);

}  // namespace steptp
