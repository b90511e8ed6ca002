#include "steptp/arithmetic/real_rules.h"

#include "steptp/arithmetic/failure.h"

namespace steptp::certify {

namespace {

Special of_class(ValueClass result) {
  Special special;
  special.is_special = true;
  special.result = result;
  return special;
}

Special zero() {
  Special special = of_class(ValueClass::finite);
  special.is_zero = true;
  return special;
}

}  // namespace

ValueClass infinity(int sign) { return sign < 0 ? ValueClass::negative_infinity : ValueClass::positive_infinity; }

ValueClass negated(ValueClass value) {
  switch (value) {
    case ValueClass::positive_infinity: return ValueClass::negative_infinity;
    case ValueClass::negative_infinity: return ValueClass::positive_infinity;
    case ValueClass::finite:
    case ValueClass::nan: return value;
  }
  return value;
}

Special special_add(ValueClass a, ValueClass b) {
  if (a == ValueClass::nan || b == ValueClass::nan) return of_class(ValueClass::nan);
  if (a == ValueClass::finite) return of_class(b);
  if (b == ValueClass::finite || a == b) return of_class(a);
  return of_class(ValueClass::nan);
}

Special special_multiply(ValueClass a, int sign_a, ValueClass b, int sign_b) {
  if (a == ValueClass::nan || b == ValueClass::nan || sign_a == 0 || sign_b == 0) return of_class(ValueClass::nan);
  return of_class(infinity(sign_a * sign_b));
}

Special special_divide(ValueClass a, int sign_a, ValueClass b, int sign_b) {
  // Whatever is divided by zero, NaN and zero included, the quotient has no value.
  if (b == ValueClass::finite && sign_b == 0) fail(FailureKind::undefined_value, "a division by zero");
  if (a == ValueClass::nan || b == ValueClass::nan) return of_class(ValueClass::nan);
  if (b != ValueClass::finite) return a == ValueClass::finite ? zero() : of_class(ValueClass::nan);
  return of_class(infinity(sign_a * sign_b));
}

Order order_of_classes(ValueClass a, ValueClass b) {
  if (a == b) return Order::equal;
  if (a == ValueClass::negative_infinity || b == ValueClass::positive_infinity) return Order::less;
  return Order::greater;
}

bool holds(CompareOp op, Order order) {
  switch (op) {
    case CompareOp::less: return order == Order::less;
    case CompareOp::less_equal: return order != Order::greater;
    case CompareOp::greater: return order == Order::greater;
    case CompareOp::greater_equal: return order != Order::less;
    case CompareOp::equal: return order == Order::equal;
    case CompareOp::not_equal: return order != Order::equal;
  }
  return false;
}

}  // namespace steptp::certify
