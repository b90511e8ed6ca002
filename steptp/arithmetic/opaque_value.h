#pragma once

#include <algorithm>
#include <cstdint>

#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/real_range.h"
#include "steptp/arithmetic/twin_field.h"
#include "steptp/arithmetic/value_class.h"

namespace steptp::certify {

/// Of a quotient of polynomials.
struct OpaqueDegrees {
  float numerator = 0;
  float denominator = 0;
  std::uint64_t divisor = 0;  ///< equal for equal denominators, 0 for none: those of a softmax are all one
  [[nodiscard]] double total() const { return static_cast<double>(numerator) + static_cast<double>(denominator); }
};

/// A real in arithmetic that leaves comparisons open.
struct OpaqueValue {
  Twin number;
  Twin core;              ///< has the sign of the number: without factors that are surely positive
  RealRange range{0, 0};  ///< finite values: at every input
  OpaqueDegrees degrees;
  std::uint32_t set = 0;      ///< where it is the greatest of some: of which
  std::uint32_t hazards = 0;  ///< functions that may leave their domain on the way here
  std::uint32_t poles = 0;    ///< divisors on the way here that are zero on a set of measure zero, perhaps
  ValueClass value_class = ValueClass::finite;
  bool is_least = false;       ///< minus the greatest of the set
  bool is_nonzero = false;     ///< at every input
  bool has_logarithm = false;  ///< of what may be zero: the value may be infinite
  bool is_piecewise = false;   ///< order was involved, so that zeros need not be a set of measure zero
};

/// A condition.
struct OpaqueDecision {
  enum class State : std::uint8_t { fails, holds, open };
  enum class Form : std::uint8_t {
    above,  ///< difference > 0
    zero,   ///< difference = 0
    other,
  };
  State state = State::fails;
  Form form = Form::other;
  bool is_negated = false;
  Twin difference;  ///< not for other forms
  Twin number;      ///< 1 where it holds, 0 elsewhere
  float degree = 1;
  std::uint32_t hazards = 0;  ///< of what is compared
};

/// Unknowns that stand for functions, by their arguments.
struct OpaqueUnknowns {
  double count = 0;
  double degrees = 0;  ///< of all arguments together

  void add(const OpaqueValue& argument) {
    count += 1;
    degrees += argument.degrees.total();
  }
  friend OpaqueUnknowns operator+(const OpaqueUnknowns& a, const OpaqueUnknowns& b) {
    return {a.count + b.count, a.degrees + b.degrees};
  }
  /// Bounds the sum of the degrees of the differences of any two arguments.
  [[nodiscard]] double pairs() const { return count * degrees; }
};

[[nodiscard]] inline bool is_finite(const OpaqueValue& a) { return a.value_class == ValueClass::finite; }
[[nodiscard]] inline bool is_nan(const OpaqueValue& a) { return a.value_class == ValueClass::nan; }
/// The same at every input, as far as reals go.
[[nodiscard]] inline bool is_number(const OpaqueValue& a) {
  return a.degrees.numerator == 0 && a.degrees.denominator == 0;
}
/// It may have no value at some inputs.
[[nodiscard]] inline bool has_holes(const OpaqueValue& a) { return a.hazards != 0 || a.poles != 0; }
/// Not only under what is assumed: for what is said of a value wherever it is used.
[[nodiscard]] inline bool is_positive_anywhere(const OpaqueValue& a) {
  return a.range.is_positive() || (a.range.low >= 0 && a.is_nonzero);
}
/// Throws where the value may be infinite at some inputs and not at others.
inline void need_class(const OpaqueValue& a) {
  if (a.has_logarithm) fail(FailureKind::unsupported, "order is asked of what may be infinite");
}
[[nodiscard]] inline OpaqueDegrees degrees_of_sum(const OpaqueDegrees& a, const OpaqueDegrees& b) {
  if (a.divisor == b.divisor && a.denominator == b.denominator) {
    return {std::max(a.numerator, b.numerator), a.denominator, a.divisor};
  }
  return {std::max(a.numerator + b.denominator, b.numerator + a.denominator), a.denominator + b.denominator,
          a.divisor + b.divisor};
}

}  // namespace steptp::certify
