#pragma once

#include <optional>
#include <vector>

#include "replay/form.h"

namespace steptp::replayer {

/// Terms of a sum that make up a sum of squares, as a variance that was multiplied out:
///   a*sum(y^2) + b*c*sum(y) + d*c^2   where n*b^2 <= 4*a*d, because sum(a*y^2 + b*c*y + d/n*c^2) is never negative
///   a*sum(y^2) - k*sum(y)^2           where n*k <= a (Cauchy and Schwarz)
/// with n rounds in both sums. It holds where all terms are finite.
struct SumOfSquares {
  std::vector<bool> taken;  ///< which terms, by number
};
[[nodiscard]] std::optional<SumOfSquares> find_sum_of_squares(const Form& sum);

}  // namespace steptp::replayer
