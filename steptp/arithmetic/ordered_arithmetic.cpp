// An interval of what a run in the order of the text may hold. Operations that every machine rounds correctly are
// rounded at both ends, so that the interval does not grow; only functions and products that may go unrounded into a
// sum make it wider. docs/decisions/0035-runs-in-the-order-of-the-text.md.
#include "steptp/arithmetic/ordered_arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "steptp/arithmetic/double_functions.h"
#include "steptp/arithmetic/rounded_arithmetic.h"

namespace steptp::certify {

namespace {

using Value = OrderedArithmetic::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// CUDA documents at most 4 units for powf and 2 for the others; the C library and TVM's tables stay below as well.
constexpr double kFunctionUnits = 8;
/// More than the rounding of an end in double.
constexpr double kWider = 0x1p-52;

bool is_lost(const Value& value) { return value.low == -kInfinity && value.high == kInfinity; }
bool is_number(const Value& value) { return std::isfinite(value.low) && std::isfinite(value.high); }

double below(double value) { return value - std::fabs(value) * kWider - std::numeric_limits<double>::denorm_min(); }
double above(double value) { return value + std::fabs(value) * kWider + std::numeric_limits<double>::denorm_min(); }

template <std::size_t N>
Value spanned(double value, const std::array<double, N>& ends) {
  Value out{value, ends[0], ends[0]};
  for (const double end : ends) {
    // A NaN among them stays.
    out.low = end < out.low || std::isnan(end) ? end : out.low;
    out.high = end > out.high || std::isnan(end) ? end : out.high;
  }
  return out;
}

}  // namespace

void OrderedArithmetic::lose(Value& value) { value = {value.value, -kInfinity, kInfinity}; }

void OrderedArithmetic::store(DType dtype, Value& value) const {
  if (!is_float(dtype)) return;
  Value out{round_to(dtype, value.value), round_to(dtype, value.low), round_to(dtype, value.high)};
  // What the type holds already is copied, and may still be a product that was not rounded.
  if (out.value == value.value && out.low == value.low && out.high == value.high) {
    out.slack = value.slack;
    out.origin = value.origin;
  }
  if (std::isinf(out.low) != std::isinf(out.high)) lose(out);
  value = out;
}

std::uint32_t OrderedArithmetic::add_literals(const std::vector<Decimal>& literals) {
  const auto first = static_cast<std::uint32_t>(literals_.size());
  for (const Decimal& literal : literals) literals_.push_back(literal.nearest);
  return first;
}

void OrderedArithmetic::integer(Value& out, std::int64_t value) const {
  out = number(static_cast<double>(value));
  // Beyond it, a machine rounds the integer itself, and not a double.
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (value < -kExact || value > kExact) out = {out.value, below(out.value), above(out.value)};
}

void OrderedArithmetic::infinity(Value& out, int sign) const { out = number(sign > 0 ? kInfinity : -kInfinity); }

/// Rounds a result to the type of the operation. Ends that are not the value itself were computed in double, and not
/// exactly.
void OrderedArithmetic::finish(Value& out, Value made) {
  const bool is_nan = std::isnan(made.value);
  if (std::isnan(made.low) || std::isnan(made.high) || is_nan) {
    const bool is_certain = is_nan && std::isnan(made.low) && std::isnan(made.high);
    out = number(std::nan(""));
    if (!is_certain) lose(out);
    return;
  }
  if (may_contract() && made.low != made.value) made.low = below(made.low);
  if (may_contract() && made.high != made.value) made.high = above(made.high);
  out = {round_to(type_, made.value), round_to(type_, made.low), round_to(type_, made.high), made.slack, ++results_};
  // Between a number and an infinity anything may come of it.
  if (out.low != out.high && !is_number(out)) lose(out);
}

void OrderedArithmetic::arithmetic(ArithmeticOp op, Value& out, const Value& left, const Value& right) {
  Value a = left;
  Value b = right;
  store(type_, a);
  store(type_, b);
  if (is_lost(a) || is_lost(b)) {
    out = number(0);
    return lose(out);
  }
  switch (op) {
    case ArithmeticOp::add: return sum(out, a, b, false);
    case ArithmeticOp::subtract: return sum(out, a, b, true);
    case ArithmeticOp::multiply: return product(out, a, b);
    case ArithmeticOp::divide: return quotient(out, a, b);
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo: return whole_quotient(op, out, a, b);
    case ArithmeticOp::power: return power(out, a, b);
    case ArithmeticOp::max: return extremum(true, out, a, b);
    case ArithmeticOp::min: return extremum(false, out, a, b);
  }
}

void OrderedArithmetic::sum(Value& out, const Value& a, const Value& b, bool subtract) {
  if (subtract && a.origin != 0 && a.origin == b.origin && a.slack == 0) {
    out = number(0);
    return;
  }
  const double slack = may_contract() ? a.slack + b.slack : 0;
  const double value = subtract ? a.value - b.value : a.value + b.value;
  const double low = subtract ? a.low - b.high : a.low + b.low;
  const double high = subtract ? a.high - b.low : a.high + b.high;
  // What is lost in adding the slack may be what the machine's own rounding depends on.
  finish(out, slack > 0 ? Value{value, below(low - slack), above(high + slack)} : Value{value, low, high});
}

void OrderedArithmetic::product(Value& out, const Value& a, const Value& b) {
  finish(out, spanned(a.value * b.value, std::array{a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}));
  if (!may_contract() || !is_number(out)) return;
  out.slack = unit_in_last_place(type_, std::max(std::fabs(out.low), std::fabs(out.high)));
}

void OrderedArithmetic::quotient(Value& out, const Value& a, const Value& b) {
  const bool has_zero = b.low <= 0 && b.high >= 0;
  if (has_zero && !(b.is_certain() && a.is_certain())) {
    out = number(a.value / b.value);
    return lose(out);
  }
  finish(out, spanned(a.value / b.value, std::array{a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high}));
}

void OrderedArithmetic::whole_quotient(ArithmeticOp op, Value& out, const Value& a, const Value& b) {
  const double floor = std::floor(a.value / b.value);
  finish(out, number(op == ArithmeticOp::modulo ? a.value - b.value * floor : floor));
  if (!a.is_certain() || !b.is_certain()) lose(out);
}

void OrderedArithmetic::power(Value& out, const Value& a, const Value& b) {
  const bool is_whole = b.is_certain() && std::trunc(b.value) == b.value;
  const bool has_zero = a.low <= 0 && a.high >= 0;
  const double value = std::pow(a.value, b.value);
  if (!is_number(a) || !is_number(b) || (a.low < 0 && !is_whole) || (has_zero && b.low < 0)) {
    out = number(value);
    return lose(out);
  }
  // Monotone in both, away from zero; even powers turn around there.
  Value made = spanned(value, std::array{std::pow(a.low, b.low), std::pow(a.low, b.high), std::pow(a.high, b.low),
                                         std::pow(a.high, b.high)});
  if (has_zero) made.low = std::min(made.low, 0.0);
  approximate(out, value, made.low, made.high);
  if (!is_number(out)) return;
  if (is_whole && std::fmod(b.value, 2) == 0) out.low = std::max(out.low, 0.0);
  // Squares and cubes may be products.
  if (may_contract()) {
    out.slack = unit_in_last_place(type_, std::max(std::fabs(out.low), std::fabs(out.high)));
  }
}

void OrderedArithmetic::extremum(bool is_max, Value& out, const Value& a, const Value& b) const {
  if (std::isnan(a.value) || std::isnan(b.value)) {
    out = std::isnan(a.value) ? b : a;
    return;
  }
  const bool is_first = is_max ? a.low >= b.high : a.high <= b.low;
  const bool is_second = is_max ? b.low >= a.high : b.high <= a.low;
  const auto best = [is_max](double x, double y) { return is_max ? std::max(x, y) : std::min(x, y); };
  out = {best(a.value, b.value), best(a.low, b.low), best(a.high, b.high), 0,
         is_first ? a.origin : (is_second ? b.origin : 0)};
}

template <typename Monotone>
void OrderedArithmetic::whole(Value& out, const Value& a, const Monotone& function) {
  const Value made{function(a.value), function(a.low), function(a.high)};
  if (made.low != made.high) decisions_.note_leap();
  finish(out, made);
}

void OrderedArithmetic::function(Function function, Value& out, const Value& argument) {
  Value a = argument;
  store(type_, a);
  if (is_lost(a)) {
    out = number(0);
    return lose(out);
  }
  switch (function) {
    case Function::negate: out = {-a.value, -a.high, -a.low, a.slack}; return;
    case Function::abs:
      out = {std::fabs(a.value), a.low >= 0 ? a.low : (a.high <= 0 ? -a.high : 0), std::max(-a.low, a.high)};
      if (std::isnan(a.value)) out = number(a.value);
      return;
    case Function::floor: return whole(out, a, [](double x) { return std::floor(x); });
    case Function::ceil: return whole(out, a, [](double x) { return std::ceil(x); });
    case Function::round: return whole(out, a, [](double x) { return std::nearbyint(x); });
    case Function::sqrt: return root(out, a);
    case Function::exp:
    case Function::log:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: return transcendental(function, out, a);
  }
}

void OrderedArithmetic::root(Value& out, const Value& a) {
  if (a.low < 0 && a.high >= 0) {
    out = number(0);
    return lose(out);
  }
  finish(out, {std::sqrt(a.value), std::sqrt(a.low), std::sqrt(a.high)});
}

void OrderedArithmetic::transcendental(Function function, Value& out, const Value& a) {
  const bool is_partial = function == Function::log || function == Function::rsqrt;
  if (is_partial && a.low <= 0) {
    out = number(a.value < 0 ? std::nan("") : (function == Function::log ? -kInfinity : kInfinity));
    if (!a.is_certain()) lose(out);
    return;
  }
  const FunctionRange range = function_range(function, class_of(a), a.low, a.high);
  if (range.value_class != ValueClass::finite) {
    const bool is_nan = range.value_class == ValueClass::nan;
    out = number(is_nan ? std::nan("") : (range.value_class == ValueClass::positive_infinity ? kInfinity : -kInfinity));
    if (!a.is_certain() && !std::isnan(a.value)) lose(out);
    return;
  }
  const FunctionRange here = a.is_certain() ? range : function_range(function, class_of(a), a.value, a.value);
  if (range.is_undecided || here.is_undecided || std::isinf(range.high) || std::isinf(range.low)) {
    // Beyond what a double holds every type has an infinity.
    out = number(range.low > 0 ? kInfinity : 0);
    if (!(range.low > 0 && std::isinf(range.low))) lose(out);
    return;
  }
  approximate(out, (here.low + here.high) / 2, range.low, range.high);
  if (function == Function::exp && is_number(out)) out.low = std::max(out.low, 0.0);
}

void OrderedArithmetic::approximate(Value& out, double value, double low, double high) {
  // Types with fewer digits are computed in f32.
  const DType computed = type_ == DType::f64 ? DType::f64 : DType::f32;
  const auto units = [&](double end) { return kFunctionUnits * unit_in_last_place(computed, end); };
  finish(out, {value, low - units(low), high + units(high)});
}

bool OrderedArithmetic::compare(CompareOp op, const Value& a, const Value& b) {
  const bool is_same = a.origin != 0 && a.origin == b.origin;
  const bool is_apart = a.high < b.low || b.high < a.low;
  const bool is_nan = std::isnan(a.value) || std::isnan(b.value);
  bool is_sure = is_same || is_apart || is_nan || (a.is_certain() && b.is_certain());
  if (is_lost(a) || is_lost(b)) is_sure = false;
  switch (op) {
    case CompareOp::less:
      if (!is_sure && a.low != b.high) decisions_.leave_open();
      return a.value < b.value;
    case CompareOp::less_equal:
      if (!is_sure && a.high != b.low) decisions_.leave_open();
      return a.value <= b.value;
    case CompareOp::greater:
      if (!is_sure && a.high != b.low) decisions_.leave_open();
      return a.value > b.value;
    case CompareOp::greater_equal:
      if (!is_sure && a.low != b.high) decisions_.leave_open();
      return a.value >= b.value;
    case CompareOp::equal:
      if (!is_sure) decisions_.leave_open();
      return a.value == b.value;
    case CompareOp::not_equal:
      if (!is_sure) decisions_.leave_open();
      return a.value != b.value;
  }
  return false;
}

std::int64_t OrderedArithmetic::to_integer(const Value& a, DType dtype) {
  const bool is_bool = dtype == DType::boolean;
  const bool is_sure = is_bool ? a.low > 0 || a.high < 0 : std::trunc(a.low) == std::trunc(a.high);
  if (!a.is_certain() && !std::isnan(a.value) && !is_sure) decisions_.leave_open();
  if (is_lost(a)) decisions_.leave_open();
  if (std::isnan(a.value)) return 0;
  if (is_bool) return a.value != 0 ? 1 : 0;
  const double whole = std::trunc(a.value);
  if (whole <= static_cast<double>(info(dtype).least)) return info(dtype).least;
  if (whole >= static_cast<double>(info(dtype).greatest)) return info(dtype).greatest;
  return static_cast<std::int64_t>(whole);
}

void OrderedArithmetic::cover(Value& out, const Value& other) {
  decisions_.note_covered();
  if (out.origin != 0 && out.origin == other.origin) return;
  if (std::isnan(out.value) || std::isnan(other.value)) {
    if (!(std::isnan(out.value) && std::isnan(other.value))) lose(out);
    return;
  }
  out = {out.value, std::min(out.low, other.low), std::max(out.high, other.high), std::max(out.slack, other.slack)};
  if (out.low != out.high && !is_number(out)) lose(out);
}

void OrderedArithmetic::cover_bool(Value& out) {
  decisions_.note_covered();
  out = {out.value, 0, 1};
}

ValueClass OrderedArithmetic::class_of(const Value& a) {
  if (std::isnan(a.value)) return ValueClass::nan;
  if (std::isinf(a.value)) return a.value > 0 ? ValueClass::positive_infinity : ValueClass::negative_infinity;
  return ValueClass::finite;
}

std::uint64_t OrderedArithmetic::identity_of(const Value& a) { return std::bit_cast<std::uint64_t>(a.value); }

}  // namespace steptp::certify
