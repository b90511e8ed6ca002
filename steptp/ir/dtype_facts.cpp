#include "steptp/ir/dtype_facts.h"

#include <cmath>
#include <string>

namespace steptp {

namespace {

constexpr std::array<DTypeFacts, kAllDTypes.size()> kTable = {{
    {DType::f64, "<f8", 8, "64-bit floats"},
    {DType::f32, "<f4", 7, "32-bit floats"},
    {DType::f16, "<f2", 6, "16-bit floats"},
    {DType::bf16, "", 13, "bfloat16 values"},
    {DType::i64, "<i8", 5, "64-bit integers"},
    {DType::i32, "<i4", 4, "32-bit integers"},
    {DType::i16, "<i2", 3, "16-bit integers"},
    {DType::i8, "|i1", 2, "8-bit integers"},
    {DType::u8, "|u1", 1, "unsigned bytes"},
    {DType::boolean, "|b1", 12, "booleans"},
}};

/// A dtype without a row leaves an empty one at the end; a row in the wrong place would be read for another dtype.
constexpr bool has_a_row_for_each_dtype() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].dtype != kAllDTypes[i] || kTable[i].english.empty()) return false;
  }
  return true;
}
static_assert(has_a_row_for_each_dtype(), "add the dtype to the table above, in the order of kAllDTypes");

}  // namespace

const DTypeFacts& facts_of(DType dtype) { return kTable[static_cast<std::size_t>(dtype)]; }

std::string_view dtype_codes() {
  static const std::string codes = [] {
    std::string out;
    for (const DType dtype : kAllDTypes) {
      if (!out.empty()) out += ' ';
      out += code(dtype);
    }
    return out;
  }();
  return codes;
}

double greatest_finite(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return std::ldexp(2 - std::ldexp(1.0, 1 - type.precision), type.max_exponent);
}

}  // namespace steptp
