#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "steptp/ir/expr.h"
#include "steptp/ir/index.h"

namespace steptp {

/// Integers wide enough that no interval computed from 64-bit parts wraps: results are clamped to kWideLimit.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): only a typedef can be marked an extension
inline constexpr Wide kWideLimit = static_cast<Wide>(1) << 100;

/// All integers from low to high, both included.
struct Interval {
  Wide low = 0;
  Wide high = 0;
  [[nodiscard]] static Interval everything() { return {-kWideLimit, kWideLimit}; }
  [[nodiscard]] bool is_point() const { return low == high; }
  [[nodiscard]] bool contains(const Interval& other) const { return low <= other.low && other.high <= high; }
  bool operator==(const Interval&) const = default;
};

[[nodiscard]] Interval operator+(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator-(const Interval& a, const Interval& b);
[[nodiscard]] Interval operator*(const Interval& a, const Interval& b);
/// Everything where the divisor may be zero.
[[nodiscard]] Interval floor_quotient(const Interval& a, const Interval& b);
[[nodiscard]] Interval floor_remainder(const Interval& a, const Interval& b);
[[nodiscard]] Interval hull(const Interval& a, const Interval& b);

/// True, false, or not known.
enum class Truth : std::uint8_t { no, yes, maybe };
[[nodiscard]] Truth operator!(Truth truth);

/// What is known of loop variables, and of the integer values that indirect reads can give.
struct Ranges {
  std::map<std::string, Interval, std::less<>> variables;
  std::map<std::string, Interval, std::less<>> tensors;  ///< absent: every value of the dtype
};

/// The values an index can take; a superset in general, exact for a sum of products of distinct variables.
[[nodiscard]] Interval range_of(const Index& index, const Ranges& ranges);
/// Whether a condition holds at every point, at none, or possibly at some; tensor reads in values are "maybe".
[[nodiscard]] Truth truth_of(const Expr& condition, const Ranges& ranges);
/// The integers a value expression can give; everything where it could be a NaN, or wrap, or is not bounded.
[[nodiscard]] Interval value_range(const Expr& expr, const Ranges& ranges);

/// Loop indices and integers only, so that a point decides it.
[[nodiscard]] bool is_index_condition(const Expr& condition);
[[nodiscard]] bool reads_tensor(const Index& index);

}  // namespace steptp
