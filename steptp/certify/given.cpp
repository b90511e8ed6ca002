#include "steptp/certify/given.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "steptp/base/text.h"

namespace steptp::certify {

namespace {

std::string fraction_text(const Fraction& value) {
  const int up = std::max(value.exponent, 0);
  const int down = std::max(-value.exponent, 0);
  return concat(value.mantissa * (std::int64_t{1} << up), "/", value.divisor * (std::int64_t{1} << down));
}

/// 3/10, in any terms.
std::optional<Fraction> parse_fraction(std::string_view text, std::size_t mark) {
  std::int64_t numerator = 0;
  std::int64_t denominator = 0;
  const char* last = text.data() + text.size();
  const auto above = std::from_chars(text.data(), text.data() + mark, numerator);
  const auto below = std::from_chars(text.data() + mark + 1, last, denominator);
  const bool is_fraction = above.ec == std::errc() && above.ptr == text.data() + mark && below.ec == std::errc() &&
                           below.ptr == last && denominator > 0;
  return is_fraction ? fraction_of(numerator, denominator) : std::nullopt;
}

}  // namespace

std::string to_text(const GivenValue& value) {
  if (value.is_integer) return std::to_string(value.integer);
  if (value.real.is_minus_infinity()) return "-inf";
  if (value.real.divisor != 1) return fraction_text(value.real);
  const double nearest = to_double(value.real);
  // A mantissa of more than 53 bits does not come back from a double.
  const Fraction back = fraction_of(nearest);
  const int shift = value.real.exponent - back.exponent;
  const bool is_exact =
      nearest == 0 ? value.real.mantissa == 0
      : shift >= 0 && shift < 62
          ? (value.real.mantissa * (std::int64_t{1} << shift)) == back.mantissa
          : shift < 0 && shift > -62 && value.real.mantissa == back.mantissa * (std::int64_t{1} << -shift);
  if (!is_exact) return concat(value.real.mantissa, "p", value.real.exponent);
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), nearest);
  return {buffer.data(), end.ptr};
}

std::optional<GivenValue> parse_given(DType dtype, std::string_view text) {
  const char* last = text.data() + text.size();
  GivenValue out;
  if (!is_float(dtype)) {
    out.is_integer = true;
    const auto [end, error] = std::from_chars(text.data(), last, out.integer);
    const DTypeInfo& type = info(dtype);
    const bool is_legal =
        error == std::errc() && end == last && out.integer >= type.least && out.integer <= type.greatest;
    return is_legal ? std::optional(out) : std::nullopt;
  }
  if (text == "-inf") {
    out.real = kMinusInfinity;
    return out;
  }
  if (const std::size_t mark = text.find('/'); mark != std::string_view::npos) {
    const auto fraction = parse_fraction(text, mark);
    if (fraction) out.real = *fraction;
    return fraction ? std::optional(out) : std::nullopt;
  }
  if (const std::size_t mark = text.find('p'); mark != std::string_view::npos) {
    const auto mantissa = std::from_chars(text.data(), text.data() + mark, out.real.mantissa);
    const auto exponent = std::from_chars(text.data() + mark + 1, last, out.real.exponent);
    constexpr std::int32_t kFar = 2000;
    const bool is_number = mantissa.ec == std::errc() && mantissa.ptr == text.data() + mark &&
                           exponent.ec == std::errc() && exponent.ptr == last;
    return is_number && std::abs(out.real.exponent) <= kFar ? std::optional(out) : std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  out.real = fraction_of(value);
  return out;
}

}  // namespace steptp::certify
