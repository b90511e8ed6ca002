// The bound of docs/decisions/0040-safe.md: what each operation is charged, and what makes an input good.
#include "steptp/arithmetic/bound_arithmetic.h"

#include <algorithm>

#include "steptp/arithmetic/number_formats.h"

namespace steptp::certify {

namespace {

using Number = BoundArithmetic::Number;
using Value = BoundArithmetic::Value;
constexpr Number kInfinity = std::numeric_limits<Number>::infinity();

/// An error times a slope; without an error the slope does not matter.
Number spread_of(Number slope, Number error) { return error == 0 ? 0 : std::fabs(slope) * error; }

}  // namespace

void BoundArithmetic::reset() {
  tape_.clear();
  literals_.clear();
  inputs_.clear();
  events_ = {};
  decisions_ = OpenDecisions(Outcomes::both);
  converted.is_set = false;
}

std::uint32_t BoundArithmetic::add_literals(const std::vector<Decimal>& literals) {
  const auto first = static_cast<std::uint32_t>(literals_.size());
  for (const Decimal& literal : literals) {
    // Where the nearest double is the decimal itself, it is so in more digits too.
    const auto digits = static_cast<Number>(literal.digits);
    const Number ten = std::pow(Number{10}, static_cast<Number>(std::abs(literal.exponent)));
    const Number value = literal.exponent < 0 ? digits / ten : digits * ten;
    const auto nearest = static_cast<Number>(literal.nearest);
    const bool is_near = std::fabs(value - nearest) <= std::fabs(value) * std::ldexp(Number{1}, -62);
    literals_.push_back(is_near ? nearest : value);
  }
  return first;
}

void BoundArithmetic::literal(Value& out, std::uint32_t number) const {
  out = {};
  out.value = literals_[number];
  out.is_literal = true;
  out.is_nothing = out.value == 0;
}

void BoundArithmetic::integer(Value& out, std::int64_t value) const {
  out = {};
  out.value = static_cast<Number>(value);
  out.is_literal = true;
  out.is_nothing = value == 0;
}

void BoundArithmetic::infinity(Value& out, int sign) const {
  out = {};
  out.value = sign > 0 ? kInfinity : -kInfinity;
  out.is_literal = true;
}

void BoundArithmetic::input(Value& out, Fraction value) const {
  out = {};
  if (value == kMinusInfinity) {
    out.value = -kInfinity;
    return;
  }
  out.value = std::ldexp(static_cast<Number>(value.mantissa) / value.divisor, value.exponent);
}

void BoundArithmetic::store_input(DType dtype, Value& value) const {
  if (is_float(dtype)) value.type = dtype;
}

void BoundArithmetic::name_input(Value& value, std::size_t input, std::int64_t position) {
  if (!tracks_inputs_ || !std::isfinite(value.value)) return;
  ErrorTape::NodeId& node = inputs_[{input, position}];
  if (node == 0) node = tape_.add({}, {}, 0, unit_of(value.type, value.value) / 2);
  value.node = node;
}

void BoundArithmetic::check_range(DType dtype, Number magnitude, Number error, Number at_least) {
  const Format& format = format_of(dtype);
  const double bits = bits_of(magnitude);
  events_.too_high = std::max(events_.too_high, bits - format.limit_bits);
  if (bits < format.greatest_bits - 8 && !(error > format.greatest / 16)) {
    events_.overflow = std::max(events_.overflow, bits - format.greatest_bits);
    return;
  }
  if (at_least > format.greatest) events_.surely_overflows = true;
  const Number reach = magnitude + error;
  // A shade above the greatest number counts, a shade below does not.
  const double over = reach > format.greatest ? std::max(1e-9, bits_of(reach) - format.greatest_bits)
                                              : std::min(-1e-9, bits_of(reach) - format.greatest_bits);
  events_.overflow = std::max(events_.overflow, over);
}

/// An operand as the operation sees it: itself, or rounded, in `room`.
const Value& BoundArithmetic::in_type(const Value& value, Value& room) {
  if (value.is_literal && std::isfinite(value.value))
    check_range(type_, std::fabs(value.value), 0, std::fabs(value.value));
  if (value.is_literal ? is_number_of(type_, value.value) : holds(type_, value.type)) return value;
  room = value;
  const Number charge = std::isfinite(value.value) ? rounding_charge(type_, value.value) : 0;
  room.error += charge;
  room.own_error = charge;  // beside what the node says, until the operation takes both
  room.rounds = 0;
  return room;
}

void BoundArithmetic::store(DType dtype, Value& value) {
  if (!is_float(dtype)) return;
  const bool is_held = value.is_literal ? is_number_of(dtype, value.value) : holds(dtype, value.type);
  value.is_literal = value.is_literal && is_held;
  if (is_held) {
    if (!value.is_literal && value.rounds == 0) value.type = dtype;
    return;
  }
  if (std::isfinite(value.value)) {
    check_range(dtype, std::fabs(value.value), value.error, std::fabs(value.value) - value.error);
    const Number charge = rounding_charge(dtype, value.value);
    if (value.node != 0) {
      value.node = tape_.add({value.node, Number{1} * value.sign}, {}, charge);
      value.sign = 1;
    }
    value.error += charge;
  }
  value.rounds = 0;
  value.is_literal = false;
  value.type = dtype;
}

void BoundArithmetic::settle(Value& value) {
  value.is_literal = value.is_literal && value.error == 0;
  if (value.node != 0 || value.error == 0) return;
  value.node = tape_.add({}, {}, value.error);
  value.sign = 1;
}

void BoundArithmetic::finish(Value& out, Number value, const Value& a, const Value& b, Slopes slopes, Charge how) {
  const bool is_finite = std::isfinite(value);
  Number charge = how == Charge::none || !is_finite ? 0 : rounding_charge(type_, value);
  if (how == Charge::of_sum && charge > 0) charge -= format_of(type_).half_least;
  if (std::isnan(value) && !std::isnan(a.value) && !std::isnan(b.value)) events_.has_nan = true;
  if (!is_finite && std::isfinite(a.value) && std::isfinite(b.value) && !std::isnan(value)) {
    // Finite, but beyond every type.
    events_.overflow = std::max(events_.overflow, 1e6);
    events_.too_high = std::max(events_.too_high, 1e6);
    events_.surely_overflows = events_.surely_overflows || !(a.error > 0 || b.error > 0);
  }
  const bool is_same = a.node != 0 && a.node == b.node;
  Number error = 0;
  if (is_finite) {
    const Number joint = slopes.left * a.sign + slopes.right * b.sign;
    error = is_same ? spread_of(joint, a.error) : spread_of(slopes.left, a.error) + spread_of(slopes.right, b.error);
    error += charge;
  } else if (std::isinf(a.error) || std::isinf(b.error)) {
    error = kInfinity;
  }
  if (std::isnan(error)) error = kInfinity;
  Value result;
  result.value = value;
  result.error = error;
  result.type = type_;
  if (is_finite && (a.node != 0 || b.node != 0)) {
    // Errors without a node are this operation's now.
    const auto own = [](const Value& side) {
      return side.node == 0 ? side.error : side.rounds == 0 ? side.own_error : 0;
    };
    charge += spread_of(slopes.left, own(a)) + spread_of(slopes.right, own(b));
    result.node = tape_.add({a.node, slopes.left * a.sign}, {b.node, slopes.right * b.sign}, charge);
  }
  if (is_finite) check_range(type_, std::fabs(value), error, std::fabs(value) - error);
  out = result;
}

/// Exact, unless digits fall off at the low end.
void BoundArithmetic::scale_by_two(Value& out, Number value, const Value& a, Number factor) {
  const bool is_exact = value == 0 || std::fabs(value) >= format_of(type_).least_normal;
  const Value none;
  finish(out, value, a, none, {factor, 0}, Charge::none);
  if (is_exact || !std::isfinite(value)) return;
  const Number charge = format_of(type_).half_least;
  if (out.node != 0) out.node = tape_.add({out.node, 1}, {}, charge);
  out.error += charge;
}

void BoundArithmetic::arithmetic(ArithmeticOp op, Value& out, const Value& left, const Value& right) {
  const bool is_sum = op == ArithmeticOp::add || op == ArithmeticOp::subtract;
  if (is_sum && left.rounds > 0 && right.rounds > 0 && left.type == right.type && left.type == type_) {
    Value sum = left;
    accumulate(sum, right, op == ArithmeticOp::subtract, type_);
    finish_accumulation(sum, type_);
    out = sum;
    return;
  }
  Value left_room;
  Value right_room;
  const Value& a = in_type(left, left_room);
  const Value& b = in_type(right, right_room);
  switch (op) {
    case ArithmeticOp::add:
    case ArithmeticOp::subtract: {
      const int sign = op == ArithmeticOp::add ? 1 : -1;
      const bool is_infinite = (left.is_literal && std::isinf(a.value)) || (right.is_literal && std::isinf(b.value));
      if (is_infinite && std::isinf(a.value + sign * b.value))
        return infinity(out, a.value + sign * b.value > 0 ? 1 : -1);
      if (right.is_nothing || left.is_nothing) {
        const bool is_nothing = left.is_nothing && right.is_nothing;
        const Value& other = right.is_nothing ? a : b;
        const Number slope = right.is_nothing ? 1 : sign;
        const Value none;
        finish(out, slope * other.value, other, none, {slope, 0}, Charge::none);
        out.is_nothing = is_nothing;
        return;
      }
      return finish(out, a.value + sign * b.value, a, b, {1, static_cast<Number>(sign)}, Charge::of_sum);
    }
    case ArithmeticOp::multiply: {
      const Number product = a.value * b.value;
      // A zero that no rounding made gives a zero, whatever the other factor.
      const bool is_zero = is_exact_zero(a) || is_exact_zero(b);
      const bool is_nothing =
          (left.is_nothing && std::isfinite(b.value)) || (right.is_nothing && std::isfinite(a.value));
      if (right.is_literal && is_power_of_two(right.value)) return scale_by_two(out, product, a, b.value);
      if (left.is_literal && is_power_of_two(left.value)) return scale_by_two(out, product, b, a.value);
      finish(out, product, a, b, {b.value, a.value}, is_zero ? Charge::none : Charge::full);
      out.is_nothing = is_nothing;
      if (is_first_ && is_zero && !is_nothing && product == 0) {
        out.node = tape_.add({out.node, 1}, {}, 0, 0, format_of(type_).half_least);
      }
      return;
    }
    case ArithmeticOp::divide:
      if (right.is_literal && is_power_of_two(right.value)) return scale_by_two(out, a.value / b.value, a, 1 / b.value);
      return divide(out, a, b);
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: return quotient(op, out, a, b);
    case ArithmeticOp::power: return power(out, a, b);
    case ArithmeticOp::max:
    case ArithmeticOp::min: return extremum(op == ArithmeticOp::max, out, a, b);
  }
}

void BoundArithmetic::divide(Value& out, const Value& a, const Value& b) {
  // What is below half of the least number is zero where it is computed.
  if (std::fabs(b.value) <= format_of(b.is_literal ? type_ : b.type).half_least) {
    events_.has_zero_divisor = true;
    events_.surely_divides_by_zero = events_.surely_divides_by_zero || b.error == 0;
    out = {};
    out.value = std::numeric_limits<Number>::quiet_NaN();
    out.error = kInfinity;
    out.type = type_;
    return;
  }
  const Number result = a.value / b.value;
  finish(out, result, a, b, {1 / b.value, -result / b.value}, is_exact_zero(a) ? Charge::none : Charge::full);
}

bool BoundArithmetic::note_leap(Number distance, Number error) {
  note_difference(distance, error);
  return error > 0 && !(distance > error);
}

void BoundArithmetic::quotient(ArithmeticOp op, Value& out, const Value& a, const Value& b) {
  if (b.value == 0) return divide(out, a, b);
  const Number ratio = a.value / b.value;
  const Number floor = std::floor(ratio);
  const Number error =
      spread_of(1 / b.value, a.error) + spread_of(ratio / b.value, b.error) + rounding_charge(type_, ratio);
  const bool is_whole_by_nature = a.error == 0 && b.error == 0;
  const bool leaps = !is_whole_by_nature && note_leap(std::min(ratio - floor, floor + 1 - ratio), error);
  if (op == ArithmeticOp::floor_divide) {
    finish(out, floor, a, b, {0, 0}, Charge::none);
  } else {
    finish(out, a.value - b.value * floor, a, b, {1, -floor}, Charge::full);
  }
  if (leaps) lose(out);
}

void BoundArithmetic::power(Value& out, const Value& a, const Value& b) {
  if (a.value == 0 && b.value < 0) {
    const Value zero;
    return divide(out, a, zero);
  }
  const Number result = std::pow(a.value, b.value);
  Slopes slopes;
  slopes.left = a.value != 0 ? b.value * result / a.value : b.value == 1 ? 1 : b.value > 1 ? 0 : kInfinity;
  slopes.right = a.value > 0 ? result * std::log(a.value) : 0;
  const bool is_whole = b.value == std::trunc(b.value);
  if (!is_whole) note_argument(a);
  finish(out, result, a, b, slopes, Charge::full);
}

void BoundArithmetic::extremum(bool is_max, Value& out, const Value& a, const Value& b) {
  if (std::isnan(a.value) || std::isnan(b.value)) {
    const Value chosen = std::isnan(a.value) ? b : a;
    out = chosen;
  } else {
    const bool is_first = is_max ? a.value >= b.value : a.value <= b.value;
    const Value chosen = is_first ? a : b;
    const Value other = is_first ? b : a;
    // Where the two are close either could be the one, with its error. An operand may be `out` itself.
    const bool is_close = std::isfinite(a.value) && std::isfinite(b.value) &&
                          std::fabs(a.value - b.value) <= a.error + b.error && other.error > chosen.error;
    out = chosen;
    if (is_close) {
      out.error = other.error;
      out.node = other.node;
      out.sign = other.sign;
      out.own_error = other.own_error;
    }
  }
  // A conversion on the way is an error of its own.
  if (out.node != 0 && out.rounds == 0 && out.own_error > 0) {
    out.node = tape_.add({out.node, Number{1} * out.sign}, {}, out.own_error);
    out.sign = 1;
  }
  if (!out.is_literal || out.error > 0) out.type = type_;
  out.is_literal = out.is_literal && out.error == 0;
  out.is_nothing = false;
  out.rounds = 0;
  out.own_error = 0;
}

void BoundArithmetic::note_argument(const Value& a) {
  if (a.error > 0 && a.value >= 0) {
    const double bits = a.value == 0 ? -RunEvents::kNever : bits_of(a.error) - bits_of(a.value);
    // Never of an error that is below the least number: zero is then computed as zero.
    if (a.value > 0) events_.root_of_error = std::max(events_.root_of_error, bits);
  }
}

ErrorTape::Bound BoundArithmetic::bound_of(const Value& value) {
  ErrorTape::Bound bound;
  if (value.error == 0 && value.node == 0) return bound;
  if (std::isinf(value.error)) return {kInfinity, 0};
  if (value.node == 0) return {value.error, 0};
  bound = tape_.bound_of(value.node);
  // The walk counts every error once, the running bound on every way: it is never less.
  if (!tracks_inputs_) bound.of_roundings = std::min(bound.of_roundings, value.error);
  return bound;
}

ValueClass BoundArithmetic::class_of(const Value& a) {
  if (std::isnan(a.value)) return ValueClass::nan;
  if (std::isinf(a.value)) return a.value > 0 ? ValueClass::positive_infinity : ValueClass::negative_infinity;
  return ValueClass::finite;
}

std::uint64_t BoundArithmetic::identity_of(const Value& a) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(a.value));
}

std::string BoundArithmetic::text(const Value& a) const { return std::to_string(static_cast<double>(a.value)); }

}  // namespace steptp::certify
