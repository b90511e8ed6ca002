#include "steptp/ir/dtype.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace steptp {

namespace {

template <typename Integer>
constexpr DTypeInfo integer_info(DType dtype, std::string_view code, std::string_view torch_name) {
  using Limits = std::numeric_limits<Integer>;
  return {dtype,          code, torch_name,    DTypeFamily::integer, sizeof(Integer),
          Limits::digits, 0,    Limits::min(), Limits::max()};
}

constexpr std::array<DTypeInfo, kAllDTypes.size()> kTable = {{
    {DType::f64, "f64", "float64", DTypeFamily::floating, 8, 53, 1023},
    {DType::f32, "f32", "float32", DTypeFamily::floating, 4, 24, 127},
    {DType::f16, "f16", "float16", DTypeFamily::floating, 2, 11, 15},
    {DType::bf16, "bf16", "bfloat16", DTypeFamily::floating, 2, 8, 127},
    integer_info<std::int64_t>(DType::i64, "i64", "int64"),
    integer_info<std::int32_t>(DType::i32, "i32", "int32"),
    integer_info<std::int16_t>(DType::i16, "i16", "int16"),
    integer_info<std::int8_t>(DType::i8, "i8", "int8"),
    integer_info<std::uint8_t>(DType::u8, "u8", "uint8"),
    {DType::boolean, "bool", "bool", DTypeFamily::boolean, 1, 1, 0, 0, 1},
}};

/// A dtype without a row leaves an empty one at the end; a row in the wrong place would be read for another dtype.
constexpr bool has_a_row_for_each_dtype() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].dtype != kAllDTypes[i] || static_cast<std::size_t>(kAllDTypes[i]) != i || kTable[i].bytes == 0) {
      return false;
    }
  }
  return true;
}
static_assert(has_a_row_for_each_dtype(), "add the dtype to the table above, in the order of kAllDTypes");

constexpr bool holds(const DTypeInfo& type, const DTypeInfo& part) {
  return type.family == part.family && type.precision >= part.precision && type.max_exponent >= part.max_exponent &&
         type.least <= part.least && type.greatest >= part.greatest;
}

/// The narrowest type of the family that holds all values of both; the wider one where there is none.
constexpr DType common_type(const DTypeInfo& a, const DTypeInfo& b) {
  if (a.family != b.family) return a.family > b.family ? a.dtype : b.dtype;
  const DTypeInfo* best = nullptr;
  for (const DTypeInfo& row : kTable) {
    if (holds(row, a) && holds(row, b) && (!best || row.bytes < best->bytes)) best = &row;
  }
  if (best) return best->dtype;
  return a.bytes >= b.bytes ? a.dtype : b.dtype;
}

constexpr auto kCommonTypes = [] {
  std::array<std::array<DType, kTable.size()>, kTable.size()> out{};
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    for (std::size_t j = 0; j < kTable.size(); ++j) out[i][j] = common_type(kTable[i], kTable[j]);
  }
  return out;
}();

}  // namespace

const DTypeInfo& info(DType dtype) { return kTable[static_cast<std::size_t>(dtype)]; }

double held_by(DType dtype, double value) {
  const DTypeInfo& type = info(dtype);
  if (dtype == DType::f64 || value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), 1 - type.max_exponent);
  const int unit = exponent - (type.precision - 1);
  const double held = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  if (held != 0 && std::ilogb(held) > type.max_exponent) {
    return std::copysign(std::numeric_limits<double>::infinity(), held);
  }
  return held;
}

std::optional<DType> parse_dtype(std::string_view text) {
  for (const DTypeInfo& row : kTable) {
    if (text == row.code || text == row.torch_name) return row.dtype;
  }
  return std::nullopt;
}

DType promote(DType left, DType right) {
  return kCommonTypes[static_cast<std::size_t>(left)][static_cast<std::size_t>(right)];
}

char code(Scope scope) {
  switch (scope) {
    case Scope::global: return 'g';
    case Scope::shared: return 's';
    case Scope::local: return 'l';
    case Scope::fragment: return 'f';
  }
  return 'g';
}

std::optional<Scope> parse_scope(std::string_view text) {
  if (text == "g") return Scope::global;
  if (text == "s") return Scope::shared;
  if (text == "l") return Scope::local;
  if (text == "f") return Scope::fragment;
  return std::nullopt;
}

std::string_view code(Placement placement) {
  static constexpr std::string_view kCodes[] = {"g", "s", "l", "f"};
  static constexpr std::string_view kDepths[] = {"s2", "s3", "s4", "s5"};
  if (placement.depth > 1) return kDepths[placement.depth - 2];
  return kCodes[static_cast<std::size_t>(placement.scope)];
}

std::optional<Placement> parse_placement(std::string_view text) {
  if (text.size() == 2 && text[0] == 's' && text[1] >= '2' && text[1] <= '0' + kMostDepth) {
    return Placement(Scope::shared, static_cast<std::uint8_t>(text[1] - '0'));
  }
  const auto scope = parse_scope(text);
  return scope ? std::optional(Placement(*scope)) : std::nullopt;
}

}  // namespace steptp
