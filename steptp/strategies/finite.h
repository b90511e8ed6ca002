#pragma once

#include "steptp/strategies/view.h"

namespace steptp {

/// Whether an expression has a finite value wherever it is evaluated, as a real function: known variables are finite,
/// and nothing on the way divides by what may be zero, takes a logarithm of it, or says `inf`. False where that is not
/// known.
[[nodiscard]] bool is_finite(View& view, const Expr& expr);

}  // namespace steptp
