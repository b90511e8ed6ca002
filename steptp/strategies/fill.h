#pragma once

// Guards that accumulations do not need, because what they would keep out is neutral or never read.

#include <cstddef>
#include <optional>
#include <string>

#include "steptp/strategies/view.h"

namespace steptp {

struct Unguarded {
  Program program;
  std::size_t conditions = 0;  ///< how many were dropped
};

/// An accumulation by the operator does not change by this value, whatever it holds.
[[nodiscard]] bool is_neutral(const Expr& expr, ArithmeticOp op);

/// The program without those conditions in guards around accumulations of a tensor's values that can go: at points that
/// a condition kept out, what is read has a value, and either every factor is the neutral value that a copy was filled
/// with, or nobody reads the element that is accumulated. Nothing where no condition can go. With 32 lanes the threads
/// of the kernel will be units, and what is accumulated in l may be so much larger.
[[nodiscard]] std::optional<Unguarded> without_needless_guards(View& view, const std::string& filled,
                                                               std::int64_t lanes = 1);

}  // namespace steptp
