#include "steptp/algebra/rational.h"

#include <charconv>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>

#include "steptp/analysis/interval.h"

namespace steptp::algebra {

namespace {

constexpr Wide kLimit = static_cast<Wide>(INT64_MAX);

Wide gcd(Wide a, Wide b) {
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? -a : a;
}

std::optional<Rational> reduced(Wide numerator, Wide denominator) {
  if (denominator == 0) return std::nullopt;
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Wide common = gcd(numerator, denominator);
  numerator /= common;
  denominator /= common;
  if (numerator > kLimit || numerator < -kLimit || denominator > kLimit) return std::nullopt;
  return Rational{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

std::optional<std::int64_t> power_of_ten(int exponent) {
  if (exponent > 18) return std::nullopt;
  std::int64_t out = 1;
  for (int i = 0; i < exponent; ++i) out *= 10;
  return out;
}

}  // namespace

std::optional<Rational> make_rational(std::int64_t numerator, std::int64_t denominator) {
  return reduced(numerator, denominator);
}

std::optional<Rational> add(const Rational& a, const Rational& b) {
  // Products of two 63-bit numbers leave room for one sum.
  return reduced(static_cast<Wide>(a.numerator) * b.denominator + static_cast<Wide>(b.numerator) * a.denominator,
                 static_cast<Wide>(a.denominator) * b.denominator);
}

std::optional<Rational> multiply(const Rational& a, const Rational& b) {
  return reduced(static_cast<Wide>(a.numerator) * b.numerator, static_cast<Wide>(a.denominator) * b.denominator);
}

std::optional<Rational> divide(const Rational& a, const Rational& b) {
  return reduced(static_cast<Wide>(a.numerator) * b.denominator, static_cast<Wide>(a.denominator) * b.numerator);
}

std::optional<Rational> power(const Rational& a, int exponent) {
  Rational out{1, 1};
  for (int i = 0; i < std::abs(exponent); ++i) {
    const auto next = exponent > 0 ? multiply(out, a) : divide(out, a);
    if (!next) return std::nullopt;
    out = *next;
  }
  return out;
}

std::optional<Rational> value_of(const Literal& literal) {
  if (literal.is_integer) {
    if (literal.integer == INT64_MIN) return std::nullopt;
    return Rational{literal.integer, 1};
  }
  if (!std::isfinite(literal.real)) return std::nullopt;
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, literal.real, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(end.ptr - buffer));
  const std::size_t mark = text.find('e');
  std::int64_t digits = 0;
  int exponent = 0;
  bool after_point = false;
  bool negative = false;
  for (const char c : text.substr(0, mark)) {
    if (c == '-') negative = true;
    if (c == '.') after_point = true;
    if (c < '0' || c > '9') continue;
    digits = digits * 10 + (c - '0');  // at most 17 of them
    if (after_point) --exponent;
  }
  exponent += std::stoi(std::string(text.substr(mark + 1)));
  const auto scale = power_of_ten(std::abs(exponent));
  if (!scale) return std::nullopt;
  if (negative) digits = -digits;
  return exponent < 0 ? make_rational(digits, *scale) : reduced(static_cast<Wide>(digits) * *scale, 1);
}

ExprPtr literal_of(const Rational& value) {
  if (value.is_negative()) return nullptr;
  if (value.denominator == 1) return integer_literal(value.numerator);
  const double nearest = value.value();
  const Literal literal{false, 0, nearest};
  const auto denoted = value_of(literal);
  return denoted && *denoted == value ? make_expr(literal) : nullptr;
}

}  // namespace steptp::algebra
