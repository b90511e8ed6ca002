#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "steptp/arithmetic/double_interval.h"

namespace steptp::certify {

/// Where a finite value lies at every input of the domain. Infinite bounds are no bounds; low = high is the exact
/// value.
struct RealRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool is_point() const { return low == high; }
  /// Surely, by the bounds alone.
  [[nodiscard]] bool is_positive() const { return low > 0; }
  [[nodiscard]] bool is_negative() const { return high < 0; }
  [[nodiscard]] RealRange negated() const { return {-high, -low}; }
};

[[nodiscard]] inline RealRange hull(RealRange a, RealRange b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Bounds that add up exactly stay exact: a sum of what is not negative is not negative.
[[nodiscard]] inline RealRange add(RealRange a, RealRange b) {
  const double low = a.low + b.low;
  const double high = a.high + b.high;
  return {sum_error(a.low, b.low, low) == 0 ? low : below(finite_low(low)),
          sum_error(a.high, b.high, high) == 0 ? high : above(finite_high(high))};
}

/// A product of bounds: no bound times zero is zero.
[[nodiscard]] inline double bound_product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

[[nodiscard]] inline RealRange multiply(RealRange a, RealRange b) {
  const double p0 = bound_product(a.low, b.low);
  const double p1 = bound_product(a.low, b.high);
  const double p2 = bound_product(a.high, b.low);
  const double p3 = bound_product(a.high, b.high);
  const RealRange product = {std::min(std::min(p0, p1), std::min(p2, p3)),
                             std::max(std::max(p0, p1), std::max(p2, p3))};
  // Zero stays zero: what is not negative has no negative product.
  const bool exact =
      a.is_point() && b.is_point() && (p0 == 0 || (std::fabs(p0) > 0x1p-960 && std::fma(a.low, b.low, -p0) == 0));
  if (exact) return product;
  return {product.low == 0 ? 0 : below(finite_low(product.low)),
          product.high == 0 ? 0 : above(finite_high(product.high))};
}

/// One over a range that does not hold zero, except perhaps at an end.
[[nodiscard]] inline RealRange inverted(RealRange a) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (a.low < 0 && a.high > 0) return {};
  if (a.low == 0 && a.high == 0) return {};
  const auto over = [](double x, double limit) { return x == 0 ? limit : 1 / x; };
  const double low = a.high > 0 ? over(a.high, infinity) : over(a.high, -infinity);
  const double high = a.high > 0 ? over(a.low, infinity) : over(a.low, -infinity);
  if (a.is_point() && std::fma(low, a.low, -1.0) == 0) return {low, high};
  return {low == 0 ? 0 : below(finite_low(low)), high == 0 ? 0 : above(finite_high(high))};
}

}  // namespace steptp::certify
