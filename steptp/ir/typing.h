#pragma once

#include <optional>

#include "steptp/ir/dtype.h"
#include "steptp/ir/operation.h"

namespace steptp {

/// The type of an expression (docs/language.md R7). Tensors are typed. Literals and indices are weak: they adapt
/// to the typed operand they meet, and an expression of weak operands only stays weak. A weak dtype is i64 or f64.
///
/// What R7 leaves open is decided here:
///  - A weak integer with a bool tensor gives i64: bool holds no 2, so C^{bool}*2 in bool would be `true`, not 2.
///  - bool with bool stays bool: the operation is done in integers and converted by `!= 0` (+ is or, * is and).
///  - A literal that does not fit the integer type it takes wraps, as every conversion between integers does.
///  - `/` of integer or bool operands gives f32, as a decimal with an integer tensor does; weak-only gives f64.
///  - exp log sqrt erf tanh sin cos rsqrt of an integer or bool give f32, weak-only f64. These are "a function" in the
///    rule that makes a weak expression f64; abs, floor, ceil, round, max, min and the sign keep the type they get, so
///    that abs(a-3) of an index is an integer.
///  - `**` that is not integer power is real power: its type is that of `/`.
///  - `inf` with an integer or bool operand that is typed is an error, except in `/` and the real power, which are not
///    integer expressions. With weak integers it gives f64, since R7 says so.
struct ValueType {
  DType dtype = DType::f64;
  bool weak = false;
  /// A weak value with `inf` in it: refuses to meet an integer tensor, where a decimal would give f32.
  bool has_inf = false;
  bool operator==(const ValueType&) const = default;
};

[[nodiscard]] constexpr ValueType typed(DType dtype) { return {dtype, false, false}; }
/// An integer literal or an index.
inline constexpr ValueType kWeakInteger = {DType::i64, true, false};
/// A literal with a point or an exponent.
inline constexpr ValueType kWeakDecimal = {DType::f64, true, false};
/// The literal `inf`.
inline constexpr ValueType kWeakInf = {DType::f64, true, true};

/// The common type of two operands: of `+`, of the branches of if_then_else, of the sides of a comparison.
/// None where `inf` meets an integer.
[[nodiscard]] std::optional<ValueType> join_type(ValueType left, ValueType right);

/// The type of an operation. Both operands are converted to its dtype, then the operation is done in that dtype;
/// the exception is integer power, whose exponent is a plain number. `natural_exponent`: the right operand is a
/// literal integer >= 0 (only `**` asks).
[[nodiscard]] std::optional<ValueType> binary_type(ArithmeticOp op, ValueType left, ValueType right,
                                                   bool natural_exponent = false);

/// True where `left ** right` is repeated multiplication in an integer type.
[[nodiscard]] bool is_integer_power(ValueType left, bool natural_exponent);

/// The type of a function; its argument is converted to that dtype first.
[[nodiscard]] ValueType unary_type(Function function, ValueType operand);

/// The dtype in which two sides are compared; the comparison itself is bool. None where `inf` meets an integer.
[[nodiscard]] std::optional<DType> comparison_dtype(ValueType left, ValueType right);

}  // namespace steptp
