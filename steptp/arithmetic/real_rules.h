#pragma once

#include "steptp/arithmetic/value_class.h"
#include "steptp/ir/operation.h"

namespace steptp::certify {

/// The rules of IEEE arithmetic for infinities and NaN, shared by every arithmetic: they speak of classes and signs
/// only. A sign is -1, 0 or 1, of an infinity too.
struct Special {
  bool is_special = false;  ///< otherwise both operands are finite and the arithmetic computes
  ValueClass result = ValueClass::nan;
  bool is_zero = false;  ///< the result is the finite number 0
};

[[nodiscard]] ValueClass infinity(int sign);
[[nodiscard]] ValueClass negated(ValueClass value);

/// At least one operand is not finite, or it is a division by an exact zero.
[[nodiscard]] Special special_add(ValueClass a, ValueClass b);
[[nodiscard]] Special special_multiply(ValueClass a, int sign_a, ValueClass b, int sign_b);
/// A zero divisor gives NaN for 0/0 and otherwise throws Failure (undefined_value): the sign of the infinity would be
/// that of the zero, and zeros have no sign in exact arithmetic.
[[nodiscard]] Special special_divide(ValueClass a, int sign_a, ValueClass b, int sign_b);

/// The order of two values of which at least one is infinite; neither is NaN.
[[nodiscard]] Order order_of_classes(ValueClass a, ValueClass b);
/// Whether a comparison holds; comparisons with NaN are false, != is true.
[[nodiscard]] bool holds(CompareOp op, Order order);

}  // namespace steptp::certify
