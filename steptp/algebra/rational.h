#pragma once

#include <cstdint>
#include <optional>

#include "steptp/ir/expr.h"

namespace steptp::algebra {

/// An exact fraction in lowest terms with a positive denominator. What does not fit into 64 bits is no value: numbers
/// are then left as they were written, never rounded.
struct Rational {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  bool operator==(const Rational&) const = default;

  [[nodiscard]] bool is_zero() const { return numerator == 0; }
  [[nodiscard]] bool is_one() const { return numerator == 1 && denominator == 1; }
  [[nodiscard]] bool is_negative() const { return numerator < 0; }
  [[nodiscard]] Rational negated() const { return {-numerator, denominator}; }
  [[nodiscard]] Rational absolute() const { return is_negative() ? negated() : *this; }
  [[nodiscard]] double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

/// Nothing where the denominator is zero.
[[nodiscard]] std::optional<Rational> make_rational(std::int64_t numerator, std::int64_t denominator);
[[nodiscard]] std::optional<Rational> add(const Rational& a, const Rational& b);
[[nodiscard]] std::optional<Rational> multiply(const Rational& a, const Rational& b);
[[nodiscard]] std::optional<Rational> divide(const Rational& a, const Rational& b);
[[nodiscard]] std::optional<Rational> power(const Rational& a, int exponent);

/// The decimal as it is written: 0.1 is one tenth, not the double next to it.
[[nodiscard]] std::optional<Rational> value_of(const Literal& literal);
/// The literal that denotes a fraction that is not negative; nothing where no decimal of a double does (1/3).
[[nodiscard]] ExprPtr literal_of(const Rational& value);

}  // namespace steptp::algebra
