#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/ir/dtype.h"

namespace steptp {

/// A tensor as bytes: C order, little endian, a bool as a byte 0 or 1.
struct Array {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
  bool operator==(const Array&) const = default;
};

/// Whether the data has the bytes that shape and dtype ask for.
[[nodiscard]] bool is_consistent(const Array& array);

/// The format of one array in numpy's files (.npy versions 1 to 3). Read are <f8 <f4 <f2 <i8 <i4 <i2 |i1 |u1 |b1 in C
/// or Fortran order; anything else (objects, records, big endian) is a diagnostic with the id `npy`.
///
/// numpy has no bfloat16: a bf16 array is written as f4, which holds the same values, and comes back as f32.
/// `as_dtype` then gives it the dtype a signature asks for.
[[nodiscard]] Result<Array, Diagnostic> parse_npy(std::string_view content);
[[nodiscard]] std::string format_npy(const Array& array);

/// The array as the dtype a signature wants: itself, or bf16 out of f32 where every value is exactly a bf16.
/// Everything else is an error with the id `npy`: no input changes its value silently.
[[nodiscard]] Result<Array, Diagnostic> as_dtype(Array array, DType wanted);

}  // namespace steptp
