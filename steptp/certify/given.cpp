#include "steptp/certify/given.h"

#include <array>
#include <charconv>
#include <cmath>

#include "steptp/base/text.h"
#include "steptp/certify/inputs.h"

namespace steptp::certify {

std::string to_text(const GivenValue& value) {
  if (value.is_integer) return std::to_string(value.integer);
  const double nearest = to_double(value.real);
  // A mantissa of more than 53 bits does not come back from a double.
  const Dyadic back = dyadic_of(nearest);
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
  out.real = dyadic_of(value);
  return out;
}

}  // namespace steptp::certify
