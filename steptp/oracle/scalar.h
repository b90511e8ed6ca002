#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp {

/// One number of one element type. A float of any width is held as the double of the same value (every f32, f16 and
/// bf16 is a double), an integer as an int64, a bool as 0 or 1. Two rules keep bytes equal on every machine:
/// the value is always representable in the dtype, and there is one NaN (positive, quiet, no payload), because
/// processors disagree on the NaN an operation makes.
class Scalar {
 public:
  Scalar() = default;
  /// The value rounded to nearest, ties to even, in a float dtype.
  [[nodiscard]] static Scalar real(DType dtype, double value);
  /// The value wrapped into an integer dtype, or `!= 0` for bool.
  [[nodiscard]] static Scalar integer(DType dtype, std::int64_t value);
  [[nodiscard]] static Scalar boolean(bool value) { return integer(DType::boolean, value ? 1 : 0); }

  [[nodiscard]] DType dtype() const { return dtype_; }
  /// Only of a float dtype.
  [[nodiscard]] double as_real() const { return std::bit_cast<double>(bits_); }
  /// Only of an integer dtype or bool.
  [[nodiscard]] std::int64_t as_integer() const { return static_cast<std::int64_t>(bits_); }
  /// `!= 0`; NaN is true.
  [[nodiscard]] bool is_true() const { return is_float(dtype_) ? as_real() != 0.0 : bits_ != 0; }

  /// The same dtype and the same bits: -0 differs from +0, NaN is NaN.
  bool operator==(const Scalar&) const = default;

 private:
  Scalar(DType dtype, std::uint64_t bits) : bits_(bits), dtype_(dtype) {}
  std::uint64_t bits_ = 0;
  DType dtype_ = DType::i64;
};

/// The value in another dtype (docs/language.md R7), rounded once. Floats and integers to a float: to nearest,
/// ties to even, beyond the range to infinity. Float to integer truncates and saturates, NaN gives 0. Integer to
/// integer wraps. Anything to bool is `!= 0`, NaN is true.
[[nodiscard]] Scalar convert(Scalar value, DType dtype);

/// A double rounded to a float dtype, to nearest, ties to even, with subnormals; NaN becomes the one NaN.
[[nodiscard]] double round_to(DType dtype, double value);

/// Elements in memory, little endian, `info(dtype).bytes` wide; no alignment wanted. A NaN with another pattern reads
/// as the one NaN, a bool byte other than 0 as true.
[[nodiscard]] Scalar load(DType dtype, const std::byte* from);
void store(Scalar value, std::byte* to);

/// The value an undefined accumulator reads as: 0 for `+`, 1 for `*`, the least value for `max` (-inf, or an integer
/// type's least) and the greatest for `min`. None for the operators that do not accumulate. The zero is +0, so a sum
/// of nothing but -0 is +0.
[[nodiscard]] std::optional<Scalar> identity(ArithmeticOp op, DType dtype);

}  // namespace steptp
