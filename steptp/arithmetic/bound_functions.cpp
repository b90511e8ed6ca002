// The bound of functions, comparisons, conversions and accumulations; bound_arithmetic.cpp has the rest.
#include <algorithm>
#include <cmath>
#include <limits>

#include "steptp/arithmetic/bound_arithmetic.h"
#include "steptp/arithmetic/integer_rules.h"

namespace steptp::certify {

namespace {

using Number = BoundArithmetic::Number;
using Value = BoundArithmetic::Value;
constexpr Number kInfinity = std::numeric_limits<Number>::infinity();

struct Evaluated {
  Number value = 0;
  Number slope = 0;
};

Evaluated evaluate(Function function, Number x) {
  switch (function) {
    case Function::exp: {
      const Number value = std::exp(x);
      return {value, value};
    }
    case Function::log: return {std::log(x), 1 / x};
    case Function::sqrt: {
      const Number value = std::sqrt(x);
      return {value, Number{0.5} / value};
    }
    case Function::rsqrt: {
      const Number value = 1 / std::sqrt(x);
      return {value, -value / (2 * x)};
    }
    case Function::erf: return {std::erf(x), Number{1.12837916709551257390L} * std::exp(-x * x)};
    case Function::tanh: {
      const Number cosh = std::cosh(x);
      return {std::tanh(x), std::isinf(cosh) ? 0 : 1 / (cosh * cosh)};
    }
    case Function::sin: return {std::sin(x), std::cos(x)};
    case Function::cos: return {std::cos(x), -std::sin(x)};
    case Function::negate: return {-x, -1};
    case Function::abs: return {std::fabs(x), x < 0 ? Number{-1} : Number{1}};
    case Function::floor: return {std::floor(x), 0};
    case Function::ceil: return {std::ceil(x), 0};
    case Function::round: return {std::nearbyint(x), 0};
  }
  return {};
}

/// How far the argument is from where the function leaps.
Number distance_to_leap(Function function, Number x) {
  if (function == Function::round) x += Number{0.5};
  const Number below = x - std::floor(x);
  return std::min(below, 1 - below);
}

}  // namespace

void BoundArithmetic::function(Function function, Value& out, const Value& argument) {
  Value room;
  const Value& a = in_type(argument, room);
  const Value none;
  switch (function) {
    case Function::negate: {
      // A sum that was accumulated stays one.
      Value result = argument;
      result.value = -result.value;
      result.sign = static_cast<std::int8_t>(-result.sign);
      if (result.rounds > 0 && result.sum_node != 0) result.sum_node = tape_.add({result.sum_node, -1}, {}, 0);
      out = result;
      return;
    }
    case Function::abs:
      out = argument;
      out.rounds = 0;
      if (out.value < 0) {
        out.value = -out.value;
        out.sign = static_cast<std::int8_t>(-out.sign);
      }
      return;
    case Function::floor:
    case Function::ceil:
    case Function::round: return whole(function, out, a);
    case Function::rsqrt:
      if (a.value == 0) return divide(out, a, none);
      [[fallthrough]];
    case Function::sqrt:
    case Function::log: note_argument(a); break;
    case Function::exp:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos: break;
  }
  if (function == Function::exp && a.is_literal && std::isinf(a.value) && a.value < 0) return integer(out, 0);
  const Evaluated result = evaluate(function, a.value);
  if (function == Function::log && a.value == 0) {
    // The logarithm of zero is -inf, a value, unless rounding may have made the zero.
    Value zero;
    zero.value = -kInfinity;
    zero.error = a.error > 0 ? kInfinity : 0;
    zero.type = type_;
    out = zero;
    return;
  }
  finish(out, result.value, a, none, {result.slope, 0},
         result.value == 0 && is_exact_zero(a) ? Charge::none : Charge::full);
}

void BoundArithmetic::whole(Function function, Value& out, const Value& a) {
  const Value none;
  const bool leaps = a.error > 0 && std::isfinite(a.value) && note_leap(distance_to_leap(function, a.value), a.error);
  finish(out, evaluate(function, a.value).value, a, none, {0, 0}, Charge::none);
  if (leaps) lose(out);
}

void BoundArithmetic::note_difference(Number difference, Number error) {
  if (!(error > 0)) return;
  const double bits = difference == 0 ? -RunEvents::kNever : bits_of(error) - bits_of(std::fabs(difference));
  events_.close_branch = std::max(events_.close_branch, bits);
}

bool BoundArithmetic::compare(CompareOp op, const Value& a, const Value& b) {
  const bool is_same = a.node != 0 && a.node == b.node && a.sign == b.sign && a.value == b.value;
  if (!is_same && std::isfinite(a.value) && std::isfinite(b.value)) {
    // A literal is converted to the type of the other side.
    const auto error_of = [](const Value& side, const Value& other) {
      if (!side.is_literal || other.is_literal) return side.error;
      const Number unit = unit_of(other.type, side.value);
      const Number places = side.value / unit;
      return places == std::trunc(places) ? side.error : side.error + rounding_charge(other.type, side.value);
    };
    const Number error = error_of(a, b) + error_of(b, a);
    const Number difference = a.value - b.value;
    note_difference(difference, error);
    if (error > 0 && !(std::fabs(difference) > error)) decisions_.leave_open();
  } else if (!is_same && (std::isinf(a.error) || std::isinf(b.error))) {
    note_difference(0, 1);
    decisions_.leave_open();
  }
  switch (op) {
    case CompareOp::less: return a.value < b.value;
    case CompareOp::less_equal: return a.value <= b.value;
    case CompareOp::greater: return a.value > b.value;
    case CompareOp::greater_equal: return a.value >= b.value;
    case CompareOp::equal: return a.value == b.value;
    case CompareOp::not_equal: return a.value != b.value;
  }
  return false;
}

void BoundArithmetic::note_comparison(std::uint32_t node, const Value& a, const Value& b) {
  if (!sides_ || node >= sides_->size()) return;
  (*sides_)[node] = {static_cast<double>(a.value), static_cast<double>(b.value), true};
}

std::int64_t BoundArithmetic::to_integer(const Value& a, DType dtype, bool is_result) {
  if (is_result) {
    converted = {true, !decisions_.is_unsure(), a};
    settle(converted.value);
  }
  if (a.error > 0 && std::isfinite(a.value)) {
    const bool is_bool = dtype == DType::boolean;
    // Between -1 and 1 all becomes 0.
    Number distance = is_bool ? std::fabs(a.value) : distance_to_leap(Function::floor, a.value);
    if (!is_bool && std::fabs(a.value) < 1) distance = 1 - std::fabs(a.value);
    if (!is_result) note_difference(distance, a.error);
    if (!(distance > a.error)) decisions_.leave_open();
  } else if (std::isinf(a.error)) {
    if (!is_result) note_difference(0, 1);
    decisions_.leave_open();
  }
  if (std::isnan(a.value)) return dtype == DType::boolean ? 1 : 0;
  if (dtype == DType::boolean) return a.value != 0 ? 1 : 0;
  const Number whole = std::trunc(a.value);
  if (whole <= static_cast<Number>(info(dtype).least)) return info(dtype).least;
  if (whole >= static_cast<Number>(info(dtype).greatest)) return info(dtype).greatest;
  return static_cast<std::int64_t>(whole);
}

void BoundArithmetic::accumulate(Value& sum, const Value& term, bool is_subtracted, DType dtype) {
  if (sum.rounds == 0) {
    // What it starts from is its first term, unless that is nothing.
    const Value start = sum;
    sum = {};
    sum.type = dtype;
    if (!start.is_nothing) add_term(sum, start, false, dtype);
  }
  if (!term.is_nothing) add_term(sum, term, is_subtracted, dtype);
}

void BoundArithmetic::add_term(Value& sum, const Value& term, bool is_subtracted, DType dtype) {
  const Number sign = is_subtracted ? -1 : 1;
  sum.type = dtype;
  sum.is_nothing = sum.is_literal = false;
  const bool is_partial = term.rounds > 0 && term.type == dtype;
  sum.value += sign * term.value;
  sum.rounds += is_partial ? term.rounds : 1;
  sum.spread += is_partial ? term.spread : std::fabs(term.value);
  sum.term_error += is_partial ? term.term_error : term.error;
  const ErrorTape::NodeId node = is_partial ? term.sum_node : term.node;
  sum.own_error += is_partial ? term.own_error : node == 0 ? term.error : 0;
  if (node != 0) {
    const Number slope = is_partial ? sign : sign * term.sign;
    sum.sum_node = tape_.add({sum.sum_node, 1}, {node, slope}, 0);
  }
}

void BoundArithmetic::accumulate_product(Value& sum, double x, double y, DType dtype) {
  if (sum.rounds == 0 || !std::isfinite(x) || !std::isfinite(y)) {
    Value left;
    Value right;
    Value term;
    left.value = x;
    right.value = y;
    left.type = right.type = dtype;
    set_type(dtype);
    arithmetic(ArithmeticOp::multiply, term, left, right);
    return accumulate(sum, term, false, dtype);
  }
  const Number product = static_cast<Number>(x) * y;
  if (product == 0 && is_first_) {
    // Half the least number, as `arithmetic` has it.
    sum.sum_node = tape_.add({sum.sum_node, 1}, {}, 0, 0, rounding_charge(dtype, 0));
  }
  const Number size = std::fabs(product);
  const Number charge = product == 0 ? 0 : rounding_charge(dtype, product);
  ++sum.rounds;
  sum.value += product;
  sum.spread += size;  // which is looked at in the end, and is no less
  sum.term_error += charge;
  sum.own_error += charge;
}

void BoundArithmetic::finish_accumulation(Value& sum, DType dtype) {
  if (sum.rounds == 0) {
    sum.is_nothing = sum.value == 0;
    return;
  }
  const bool is_finite = std::isfinite(sum.value);
  if (std::isnan(sum.value)) events_.has_nan = true;
  const Number unit_roundoff = std::ldexp(Number{1}, -info(dtype).precision);
  Number charge = 0;
  // Two terms have one order.
  if (sum.rounds == 2 && sum.value != 0) charge = unit_of(dtype, sum.value) / 2;
  if (sum.rounds > 2) charge = static_cast<Number>(sum.rounds - 1) * unit_roundoff * sum.spread;
  if (!is_finite) charge = 0;
  sum.error = is_finite ? sum.term_error + charge : std::isinf(sum.term_error) ? kInfinity : 0;
  sum.sign = 1;
  sum.node = 0;
  if (is_finite) {
    check_range(dtype, sum.spread, sum.error, std::fabs(sum.value) - sum.error);
    if (sum.sum_node != 0) sum.node = tape_.add({sum.sum_node, 1}, {}, charge + sum.own_error);
  }
}

void BoundArithmetic::cover(Value& out, const Value& other) {
  decisions_.note_covered();
  const bool is_same = out.value == other.value || (out.node != 0 && out.node == other.node);
  const Number distance = is_same ? 0 : std::fabs(out.value - other.value);
  Number error = std::max(out.error, distance + other.error);
  if (std::isnan(error)) error = kInfinity;
  if (out.node != 0 && error > out.error && std::isfinite(error)) {
    out.node = tape_.add({out.node, Number{1} * out.sign}, {}, error - out.error);
    out.sign = 1;
  }
  out.error = error;
  out.rounds = 0;
}

void BoundArithmetic::cover_bool(Value& out) {
  decisions_.note_covered();
  out.error = 1;
}

}  // namespace steptp::certify
