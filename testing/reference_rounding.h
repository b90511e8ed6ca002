#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "steptp/ir/dtype.h"

namespace steptp {

/// For tests only: all non-negative values of f16 or bf16 in order, and rounding by looking the neighbours up. It
/// shares no thought with round_to, which it checks.
class NarrowType {
 public:
  explicit NarrowType(DType dtype) {
    const DTypeInfo& type = info(dtype);
    const int fractions = 1 << (type.precision - 1);
    const int least = 1 - type.max_exponent;
    for (int i = 0; i < fractions; ++i) values_.push_back(std::ldexp(i, least - type.precision + 1));
    for (int exponent = least; exponent <= type.max_exponent; ++exponent) {
      for (int i = 0; i < fractions; ++i) values_.push_back(std::ldexp(fractions + i, exponent - type.precision + 1));
    }
    values_.push_back(std::ldexp(1.0, type.max_exponent + 1));  // stands for infinity
  }

  /// To nearest, ties to the even pattern, which is the even place in the list. Midpoints are exact doubles.
  [[nodiscard]] double nearest(double value) const {
    if (std::isnan(value)) return value;
    const double magnitude = std::fabs(value);
    const auto above = std::lower_bound(values_.begin(), values_.end(), magnitude);
    auto chosen = above;
    if (above == values_.end()) {
      chosen = values_.end() - 1;
    } else if (*above != magnitude) {
      const auto below = above - 1;
      const double middle = *below + (*above - *below) / 2;
      const bool below_is_even = (below - values_.begin()) % 2 == 0;
      chosen = magnitude < middle || (magnitude == middle && below_is_even) ? below : above;
    }
    const double rounded = chosen == values_.end() - 1 ? std::numeric_limits<double>::infinity() : *chosen;
    return std::copysign(rounded, value);
  }

 private:
  std::vector<double> values_;
};

}  // namespace steptp
