#include "steptp/oracle/scalar.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace steptp {

static_assert(std::endian::native == std::endian::little, "load and store copy bytes");
static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<float>::is_iec559);

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});

std::int64_t wrap(DType dtype, std::int64_t value) {
  switch (dtype) {
    case DType::i64: return value;
    case DType::i32: return static_cast<std::int32_t>(value);
    case DType::i16: return static_cast<std::int16_t>(value);
    case DType::i8: return static_cast<std::int8_t>(value);
    case DType::u8: return static_cast<std::uint8_t>(value);
    case DType::boolean: return value != 0 ? 1 : 0;
    case DType::f64:
    case DType::f32:
    case DType::f16:
    case DType::bf16: break;
  }
  return value;
}

constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Rounds a finite double to `precision` bits and the exponent range of a narrow type.
double round_narrow(const DTypeInfo& type, double value) {
  const double least_normal = power_of_two(1 - type.max_exponent);
  double rounded = 0;
  if (std::fabs(value) < least_normal) {
    // Adding a number whose last place is the type's least subnormal makes the addition itself do the rounding.
    const double anchor = 1.5 * power_of_two(1 - type.max_exponent - (type.precision - 1) + 52);
    rounded = (value + anchor) - anchor;
  } else {
    const int dropped = 53 - type.precision;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t last_kept = (bits >> dropped) & 1;
    // A carry out of the significand moves into the exponent, which is what rounding up to a power of two means.
    const std::uint64_t up = bits + (std::uint64_t{1} << (dropped - 1)) - 1 + last_kept;
    rounded = std::bit_cast<double>((up >> dropped) << dropped);
    if (std::fabs(rounded) >= power_of_two(type.max_exponent + 1)) rounded = kInfinity;
  }
  return std::copysign(rounded, value);
}

/// An integer as a double that rounds to any narrower float as the integer itself would: bits beyond the 53rd are
/// folded into the last one ("round to odd"), which is safe with at least two bits to spare.
double to_odd_double(std::int64_t value) {
  const bool negative = value < 0;
  std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const int surplus = static_cast<int>(std::bit_width(magnitude)) - 53;
  if (surplus > 0) {
    const std::uint64_t lost = magnitude & ((std::uint64_t{1} << surplus) - 1);
    magnitude = ((magnitude >> surplus) | (lost != 0 ? 1 : 0)) << surplus;
  }
  const auto result = static_cast<double>(magnitude);
  return negative ? -result : result;
}

std::int64_t saturate(const DTypeInfo& type, double value) {
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  // The bounds of i64 as doubles: -2^63 is exact, 2^63 is one past the greatest; `>=` covers both widths.
  if (whole >= static_cast<double>(type.greatest)) return type.greatest;
  if (whole <= static_cast<double>(type.least)) return type.least;
  return static_cast<std::int64_t>(whole);
}

template <typename T>
T read_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
void write_as(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = bits & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction != 0 ? double{kNan} : double{kInfinity};
  } else if (exponent == 0) {
    magnitude = fraction * power_of_two(-24);
  } else {
    magnitude = (fraction + 1024) * power_of_two(exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t double_to_half(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return 0x7e00;
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | 0x7c00);
  int pattern = 0;
  if (magnitude < power_of_two(-14)) {
    pattern = static_cast<int>(magnitude * power_of_two(24));
  } else {
    const int exponent = std::ilogb(magnitude);
    pattern = ((exponent + 15) << 10) + static_cast<int>(magnitude * power_of_two(10 - exponent)) - 1024;
  }
  return static_cast<std::uint16_t>(sign | pattern);
}

}  // namespace

double round_to(DType dtype, double value) {
  if (std::isnan(value)) return kNan;
  if (dtype == DType::f64 || std::isinf(value)) return value;
  if (dtype == DType::f32) return static_cast<double>(static_cast<float>(value));
  return round_narrow(info(dtype), value);
}

Scalar Scalar::real(DType dtype, double value) { return {dtype, std::bit_cast<std::uint64_t>(round_to(dtype, value))}; }

Scalar Scalar::integer(DType dtype, std::int64_t value) {
  return {dtype, static_cast<std::uint64_t>(wrap(dtype, value))};
}

Scalar convert(Scalar value, DType dtype) {
  if (value.dtype() == dtype) return value;
  if (dtype == DType::boolean) return Scalar::boolean(value.is_true());
  if (is_float(dtype)) {
    if (is_float(value.dtype())) return Scalar::real(dtype, value.as_real());
    if (dtype == DType::f64) return Scalar::real(dtype, static_cast<double>(value.as_integer()));
    return Scalar::real(dtype, to_odd_double(value.as_integer()));
  }
  if (is_float(value.dtype())) return Scalar::integer(dtype, saturate(info(dtype), value.as_real()));
  return Scalar::integer(dtype, value.as_integer());
}

Scalar load(DType dtype, const std::byte* from) {
  switch (dtype) {
    case DType::f64: return Scalar::real(dtype, read_as<double>(from));
    case DType::f32: return Scalar::real(dtype, static_cast<double>(read_as<float>(from)));
    case DType::f16: return Scalar::real(dtype, half_to_double(read_as<std::uint16_t>(from)));
    case DType::bf16: {
      // bf16 is the upper half of an f32.
      const auto bits = static_cast<std::uint32_t>(read_as<std::uint16_t>(from)) << 16;
      return Scalar::real(dtype, static_cast<double>(std::bit_cast<float>(bits)));
    }
    case DType::i64: return Scalar::integer(dtype, read_as<std::int64_t>(from));
    case DType::i32: return Scalar::integer(dtype, read_as<std::int32_t>(from));
    case DType::i16: return Scalar::integer(dtype, read_as<std::int16_t>(from));
    case DType::i8: return Scalar::integer(dtype, read_as<std::int8_t>(from));
    case DType::u8:
    case DType::boolean: return Scalar::integer(dtype, read_as<std::uint8_t>(from));
  }
  return {};
}

void store(Scalar value, std::byte* to) {
  switch (value.dtype()) {
    case DType::f64: return write_as(to, value.as_real());
    case DType::f32: return write_as(to, static_cast<float>(value.as_real()));
    case DType::f16: return write_as(to, double_to_half(value.as_real()));
    case DType::bf16: {
      const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value.as_real()));
      return write_as(to, static_cast<std::uint16_t>(bits >> 16));
    }
    case DType::i64: return write_as(to, value.as_integer());
    case DType::i32: return write_as(to, static_cast<std::int32_t>(value.as_integer()));
    case DType::i16: return write_as(to, static_cast<std::int16_t>(value.as_integer()));
    case DType::i8: return write_as(to, static_cast<std::int8_t>(value.as_integer()));
    case DType::u8:
    case DType::boolean: return write_as(to, static_cast<std::uint8_t>(value.as_integer()));
  }
}

std::optional<Scalar> identity(ArithmeticOp op, DType dtype) {
  const bool real = is_float(dtype);
  switch (op) {
    case ArithmeticOp::add: return real ? Scalar::real(dtype, 0.0) : Scalar::integer(dtype, 0);
    case ArithmeticOp::multiply: return real ? Scalar::real(dtype, 1.0) : Scalar::integer(dtype, 1);
    case ArithmeticOp::max: return real ? Scalar::real(dtype, -kInfinity) : Scalar::integer(dtype, info(dtype).least);
    case ArithmeticOp::min: return real ? Scalar::real(dtype, kInfinity) : Scalar::integer(dtype, info(dtype).greatest);
    case ArithmeticOp::subtract:
    case ArithmeticOp::divide:
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
    case ArithmeticOp::power: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace steptp
