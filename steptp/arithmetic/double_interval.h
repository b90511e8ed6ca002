#pragma once

#include <cmath>
#include <limits>

namespace steptp::certify {

/// Bounds of a rounded result whose true value is within one unit in the last place: cheaper than a rounding mode, and
/// a little wider than needed.
inline double below(double x) { return x - (std::fabs(x) * 0x1p-52 + 0x1p-1070); }
inline double above(double x) { return x + (std::fabs(x) * 0x1p-52 + 0x1p-1070); }

/// A bound that has overflowed says nothing: it is put back to where the value surely is finite. To be done before
/// below() and above(), which would make NaN of an infinity.
inline double finite_low(double x) {
  return x == std::numeric_limits<double>::infinity() ? std::numeric_limits<double>::max() : x;
}
inline double finite_high(double x) {
  return x == -std::numeric_limits<double>::infinity() ? std::numeric_limits<double>::lowest() : x;
}

/// The rounding error of a + b, exactly (Knuth).
inline double sum_error(double a, double b, double sum) {
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

}  // namespace steptp::certify
