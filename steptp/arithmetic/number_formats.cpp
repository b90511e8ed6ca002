#include "steptp/arithmetic/number_formats.h"

#include <array>
#include <cstddef>

#include "steptp/arithmetic/bound_arithmetic.h"

namespace steptp::certify {

namespace {

using Number = ErrorTape::Number;

Format make_format(DType dtype) {
  const DTypeInfo& type = info(dtype);
  Format out;
  if (!is_float(dtype)) return out;
  out.precision = type.precision;
  out.max_exponent = type.max_exponent;
  out.greatest = (2 - std::ldexp(Number{1}, 1 - type.precision)) * std::ldexp(Number{1}, type.max_exponent);
  out.greatest_bits = type.max_exponent + 1;
  out.limit_bits = type.max_exponent - type.max_exponent / 4.0;
  out.least_normal = std::ldexp(Number{1}, 1 - type.max_exponent);
  out.half_least = std::ldexp(Number{1}, 1 - type.max_exponent - type.precision);
  out.unit_roundoff = std::ldexp(Number{1}, -type.precision);
  return out;
}

}  // namespace

const Format& format_of(DType dtype) {
  static const std::array<Format, kAllDTypes.size()> kFormats = [] {
    std::array<Format, kAllDTypes.size()> out;
    for (const DType type : kAllDTypes) out[static_cast<std::size_t>(type)] = make_format(type);
    return out;
  }();
  return kFormats[static_cast<std::size_t>(dtype)];
}

bool holds(DType wide, DType narrow) {
  if (wide == narrow) return true;
  const Format& one = format_of(wide);
  const Format& other = format_of(narrow);
  return one.precision >= other.precision && one.max_exponent >= other.max_exponent;
}

bool is_power_of_two(Number value) {
  int exponent = 0;
  return value != 0 && std::isfinite(value) && std::fabs(std::frexp(value, &exponent)) == Number{0.5};
}

bool is_number_of(DType dtype, Number value) {
  if (value == 0 || !std::isfinite(value)) return true;
  const Number unit = unit_of(dtype, value);
  const Number places = value / unit;
  return std::fabs(value) <= format_of(dtype).greatest && places == std::trunc(places);
}

double bits_of(Number value) {
  if (!(value > 0)) return RunEvents::kNever;
  if (std::isinf(value)) return -RunEvents::kNever;
  // Straight between powers of two, which rises where the logarithm does.
  const int exponent = binary_exponent(value);
  return exponent + static_cast<double>(value * exact_power_of_two(-exponent)) - 1;
}

Number unit_of(DType dtype, Number value) {
  const Format& format = format_of(dtype);
  if (value == 0 || !std::isfinite(value) || std::fabs(value) < format.least_normal) return 2 * format.half_least;
  return exact_power_of_two(binary_exponent(value) - format.precision + 1);
}

Number rounding_charge(DType dtype, Number value) {
  const Format& format = format_of(dtype);
  if (value == 0 || !std::isfinite(value)) return format.half_least;
  return exact_power_of_two(binary_exponent(value) - format.precision) + format.half_least;
}

}  // namespace steptp::certify
