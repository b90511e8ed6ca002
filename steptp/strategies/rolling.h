#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// A recurrence over a loop that keeps its latest value only.
struct Rolled {
  Program program;
  std::string loop;      ///< over which it runs
  std::string previous;  ///< the tensor that holds the value of the iteration before
  ExprPtr first;         ///< what that is in the first iteration
};

/// A tensor loses a dimension that is the index k of a serial loop: X_{k} is read at k and k-1 in the loop and at its
/// last value behind it. `Y=X;` opens the body of the loop, Y stands for X_{k-1}, and X is set before the loop. The
/// text says why not.
[[nodiscard]] Result<Rolled, std::string> rolled(View& view, const std::string& tensor, std::size_t dimension);

}  // namespace steptp
