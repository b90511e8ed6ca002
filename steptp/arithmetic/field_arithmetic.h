#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "steptp/arithmetic/double_interval.h"
#include "steptp/arithmetic/prime_field.h"
#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// Reals as a residue next to an interval of doubles that surely holds the value and decides every comparison.
/// Functions such as exp are unknowns of the field (PrimeField::of_function), so that equal residues still mean equal
/// values, while different residues then mean nothing.
/// More than thirty functions, because an arithmetic is one operation each: those that a machine asks for
/// (machine/evaluation.h), and what they are made of.
class FieldArithmetic {
 public:
  struct Value {
    PrimeField::Residue residue = 0;
    /// Low = high = an infinity is that infinity; a NaN in `low` is NaN; otherwise the value is finite, also where a
    /// bound has overflowed. Low = high is the exact value.
    double low = 0;
    double high = 0;
    /// As a quotient of polynomials in the inputs: degrees, at most.
    float numerator = 0;
    float denominator = 0;
  };

  /// Values need no memory of their own.
  static constexpr bool kHasPlainValues = true;
  /// Exact: the type of an operation plays no part.
  static constexpr bool kIsTyped = false;
  /// Sums can be made of many summands at once.
  static constexpr bool kHasLanes = true;

  explicit FieldArithmetic(std::uint64_t seed) : field_(seed) {}

  /// Returns the number of the first one, for `literal`.
  [[nodiscard]] std::uint32_t add_literals(const std::vector<Decimal>& literals);
  void literal(Value& out, std::uint32_t number) const { out = literals_[number]; }
  void input(Value& out, Fraction value) const {
    if (value.is_minus_infinity()) return infinity(out, -1);
    out.residue = field_.of_fraction(value);
    const bool is_usual = value.exponent == -52 && value.divisor == 1;
    out.low = out.high = is_usual ? static_cast<double>(value.mantissa) * 0x1p-52 : to_double(value);
    if (value.divisor != 1) {
      out.low = below(out.low);
      out.high = above(out.high);
    }
    out.numerator = 1;
    out.denominator = 0;
  }
  void integer(Value& out, std::int64_t value) const;
  void infinity(Value& out, int sign) const;

  /// `out` may be one of the operands.
  void arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b) {
    if (op == ArithmeticOp::multiply) {
      multiply(out, a, b);
    } else if (op == ArithmeticOp::add) {
      add(out, a, b);
    } else {
      other_arithmetic(op, out, a, b);
    }
  }
  /// Adds `count` values, products of values, or products of inputs (mantissas of multiples of 2^-52), or subtracts
  /// them. Their order plays no part: residues are exact, and rounding is bounded once for all (field_sums.cpp).
  void add_all(Value& sum, const Value* values, std::size_t count, bool is_subtracted);
  void add_products(Value& sum, const Value* left, const Value* right, std::size_t count, bool is_subtracted);
  void add_input_products(Value& sum, const std::int64_t* left, const std::int64_t* right, std::size_t count,
                          bool is_subtracted) const;
  void function(Function function, Value& out, const Value& a);
  [[nodiscard]] bool compare(CompareOp op, const Value& a, const Value& b);
  /// Truncated and saturated; NaN gives 0.
  [[nodiscard]] std::int64_t to_integer(const Value& a, DType dtype);

  [[nodiscard]] static ValueClass class_of(const Value& a);
  /// Equal values of the same expression have the same.
  [[nodiscard]] static std::uint64_t identity_of(const Value& a) {
    return a.residue ^ (static_cast<std::uint64_t>(class_of(a)) << 62);
  }
  /// Of finite values: a - b and b - a.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> differences(const Value& a, const Value& b) const {
    return {field_.subtract(a.residue, b.residue), field_.subtract(b.residue, a.residue)};
  }
  [[nodiscard]] const PrimeField& field() const { return field_; }
  /// Functions occurred: different residues need not be different values.
  [[nodiscard]] bool used_functions() const { return functions_ > 0; }
  [[nodiscard]] std::uint64_t function_count() const { return functions_; }
  /// The greatest degree of an argument of a function.
  [[nodiscard]] double argument_degree() const { return argument_degree_; }
  [[nodiscard]] std::string text(const Value& a) const;
  /// Bytes behind a remembered value besides the object itself.
  [[nodiscard]] static std::size_t extra_bytes(const Value&) { return 0; }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  [[nodiscard]] static bool is_finite(const Value& a) { return a.low < kInfinity && a.high > -kInfinity; }
  [[nodiscard]] static bool is_point(const Value& a) { return a.low == a.high; }

  /// Sums of bounds of summands, as rounded to nearest, and what is needed to bound the rounding.
  struct Bounds {
    double low = 0;
    double high = 0;
    double magnitude = 0;
    float excess = 0;  ///< the greatest degree of a numerator beyond that of its denominator
    float denominator = 0;
  };
  void finish_sum(Value& sum, PrimeField::Residue residue, const Bounds& bounds, std::size_t count,
                  bool is_subtracted) const;
  void add(Value& out, const Value& a, const Value& b) const;
  void add_special(Value& out, const Value& a, const Value& b) const;
  void multiply(Value& out, const Value& a, const Value& b);
  void multiply_special(Value& out, const Value& a, const Value& b);
  void other_arithmetic(ArithmeticOp op, Value& out, const Value& a, const Value& b);
  void divide(Value& out, const Value& a, const Value& b);
  void floor_divide(Value& out, const Value& a, const Value& b);
  void power(Value& out, const Value& a, const Value& b);
  void extremum(bool is_max, Value& out, const Value& a, const Value& b);
  void round(Function function, Value& out, const Value& a);
  void transcendental(Function function, Value& out, const Value& a);
  [[nodiscard]] Order order(const Value& a, const Value& b);
  [[nodiscard]] int sign(const Value& a);

  /// Rows are divided by one value, and an inverse costs as much as a hundred products.
  [[nodiscard]] PrimeField::Residue inverse(PrimeField::Residue a) {
    if (a != divisor_) {
      divisor_ = a;
      inverse_ = field_.inverse(a);
    }
    return inverse_;
  }

  PrimeField field_;
  PrimeField::Residue divisor_ = 0;  ///< the last one, and its inverse
  PrimeField::Residue inverse_ = 0;
  std::vector<Value> literals_;
  std::uint64_t functions_ = 0;
  double argument_degree_ = 0;
};

// In the header because inner loops are made of these two.

inline void FieldArithmetic::add(Value& out, const Value& a, const Value& b) const {
  if (!is_finite(a) || !is_finite(b)) return add_special(out, a, b);
  const float numerator = std::max(a.numerator + b.denominator, b.numerator + a.denominator);
  const float denominator = a.denominator + b.denominator;
  const double low = a.low + b.low;
  const double high = a.high + b.high;
  const bool exact = is_point(a) && is_point(b) && sum_error(a.low, b.low, low) == 0;
  out.residue = field_.add(a.residue, b.residue);
  out.low = exact ? low : below(finite_low(low));
  out.high = exact ? high : above(finite_high(high));
  out.numerator = numerator;
  out.denominator = denominator;
}

inline void FieldArithmetic::multiply(Value& out, const Value& a, const Value& b) {
  if (!is_finite(a) || !is_finite(b)) return multiply_special(out, a, b);
  const float numerator = a.numerator + b.numerator;
  const float denominator = a.denominator + b.denominator;
  out.residue = field_.multiply(a.residue, b.residue);
  if (is_point(a) && is_point(b)) {
    const double product = a.low * b.low;
    const bool exact =
        a.low == 0 || b.low == 0 || (std::fabs(product) > 0x1p-960 && std::fma(a.low, b.low, -product) == 0);
    out.low = exact ? product : below(finite_low(product));
    out.high = exact ? product : above(finite_high(product));
  } else {
    const double p0 = a.low * b.low;
    const double p1 = a.low * b.high;
    const double p2 = a.high * b.low;
    const double p3 = a.high * b.high;
    const double low = std::min(std::min(p0, p1), std::min(p2, p3));
    const double high = std::max(std::max(p0, p1), std::max(p2, p3));
    // A bound that has overflowed times zero is NaN; then nothing is known.
    const bool known = !std::isnan(p0 + p1 + p2 + p3);
    out.low = known ? below(finite_low(low)) : -kInfinity;
    out.high = known ? above(finite_high(high)) : kInfinity;
  }
  out.numerator = numerator;
  out.denominator = denominator;
}

}  // namespace steptp::certify
