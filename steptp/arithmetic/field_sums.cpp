// Sums of many summands at once: residues as 128-bit sums that are reduced now and then, bounds as plain sums whose
// rounding is bounded at the end.
#include <algorithm>
#include <cmath>

#include "steptp/arithmetic/double_interval.h"
#include "steptp/arithmetic/field_arithmetic.h"

namespace steptp::certify {

namespace {

using Double = PrimeField::Double;
using Value = FieldArithmetic::Value;
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): only a typedef can be marked an extension

/// Beyond this the bound on the rounding might overflow: then one summand at a time.
constexpr double kMostMagnitude = 0x1p900;

bool is_point(const Value& a) { return a.low == a.high; }

/// Sums of exact doubles may be exact, which is worth keeping: a tie, a floor of an integer. The first summand that is
/// not zero tells; in generic draws it never is.
bool may_be_exact(const Value* left, const Value* right, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_point(left[i]) || (right && !is_point(right[i]))) return false;
    if (left[i].low == 0 || (right && right[i].low == 0)) continue;
    if (!right) return left[i].low == std::trunc(left[i].low * 0x1p30) * 0x1p-30;
    const double product = left[i].low * right[i].low;
    return std::fma(left[i].low, right[i].low, -product) == 0;
  }
  return true;
}

}  // namespace

void FieldArithmetic::finish_sum(Value& sum, PrimeField::Residue residue, const Bounds& bounds, std::size_t count,
                                 bool is_subtracted) const {
  // Each of the `count` roundings of a sum, and of the summands themselves, is at most 2^-53 of the magnitude.
  const double error = (static_cast<double>(count) + 4) * 0x1p-52 * bounds.magnitude + 0x1p-1000;
  const double low = below(bounds.low - error);
  const double high = above(bounds.high + error);
  Value value;
  value.residue = is_subtracted ? field_.negate(residue) : residue;
  value.low = is_subtracted ? -high : low;
  value.high = is_subtracted ? -low : high;
  value.numerator = bounds.excess + bounds.denominator;
  value.denominator = bounds.denominator;
  add(sum, sum, value);
}

void FieldArithmetic::add_all(Value& sum, const Value* values, std::size_t count, bool is_subtracted) {
  Bounds bounds;
  PrimeField::Residue residue = 0;
  bool is_known = !may_be_exact(values, nullptr, count);
  for (std::size_t i = 0; is_known && i < count; ++i) {
    const Value& value = values[i];
    is_known = is_finite(value);
    residue = field_.add(residue, value.residue);
    bounds.low += value.low;
    bounds.high += value.high;
    bounds.magnitude += std::max(std::fabs(value.low), std::fabs(value.high));
    bounds.excess = std::max(bounds.excess, value.numerator - value.denominator);
    bounds.denominator += value.denominator;
  }
  if (is_known && bounds.magnitude < kMostMagnitude) return finish_sum(sum, residue, bounds, count, is_subtracted);
  const ArithmeticOp op = is_subtracted ? ArithmeticOp::subtract : ArithmeticOp::add;
  for (std::size_t i = 0; i < count; ++i) arithmetic(op, sum, sum, values[i]);
}

void FieldArithmetic::add_products(Value& sum, const Value* left, const Value* right, std::size_t count,
                                   bool is_subtracted) {
  Bounds bounds;
  PrimeField::Residue residue = 0;
  Double products = 0;
  bool is_known = !may_be_exact(left, right, count);
  for (std::size_t i = 0; is_known && i < count; ++i) {
    const Value& a = left[i];
    const Value& b = right[i];
    is_known = is_finite(a) && is_finite(b);
    products += static_cast<Double>(a.residue) * b.residue;
    if (i % PrimeField::kMostProducts == PrimeField::kMostProducts - 1) {
      residue = field_.add(residue, field_.of_products(products));
      products = 0;
    }
    const double p0 = a.low * b.low;
    double low = p0;
    double high = p0;
    if (!is_point(a) || !is_point(b)) {
      const double p1 = a.low * b.high;
      const double p2 = a.high * b.low;
      const double p3 = a.high * b.high;
      // A bound that has overflowed times zero is NaN, and then nothing is known.
      is_known = is_known && !std::isnan(p0 + p1 + p2 + p3);
      low = std::min(std::min(p0, p1), std::min(p2, p3));
      high = std::max(std::max(p0, p1), std::max(p2, p3));
    }
    bounds.low += low;
    bounds.high += high;
    bounds.magnitude += std::max(std::fabs(low), std::fabs(high));
    const float denominator = a.denominator + b.denominator;
    bounds.excess = std::max(bounds.excess, a.numerator + b.numerator - denominator);
    bounds.denominator += denominator;
  }
  if (is_known && bounds.magnitude < kMostMagnitude) {
    return finish_sum(sum, field_.add(residue, field_.of_products(products)), bounds, count, is_subtracted);
  }
  const ArithmeticOp op = is_subtracted ? ArithmeticOp::subtract : ArithmeticOp::add;
  for (std::size_t i = 0; i < count; ++i) {
    Value product;
    multiply(product, left[i], right[i]);
    arithmetic(op, sum, sum, product);
  }
}

void FieldArithmetic::add_input_products(Value& sum, const std::int64_t* left, const std::int64_t* right,
                                         std::size_t count, bool is_subtracted) const {
  // Of 53 bits each: 2^20 products are far from the end of 128 bits.
  Wide total = 0;
  for (std::size_t i = 0; i < count; ++i) total += static_cast<Wide>(left[i]) * right[i];
  if (is_subtracted) total = -total;
  const bool is_negative = total < 0;
  const Double magnitude = is_negative ? Double{0} - static_cast<Double>(total) : static_cast<Double>(total);
  Value value;
  const PrimeField::Residue residue = field_.of_input_products(magnitude);
  value.residue = is_negative ? field_.negate(residue) : residue;
  const auto rounded = static_cast<double>(magnitude);
  const bool exact = static_cast<Double>(rounded) == magnitude;
  const double number = (is_negative ? -rounded : rounded) * 0x1p-104;
  value.low = exact ? number : below(number);
  value.high = exact ? number : above(number);
  value.numerator = 2;
  add(sum, sum, value);
}

}  // namespace steptp::certify
