// Functions of one number: unknowns of their argument, where no law says more. exp is a homomorphism; tanh is written
// with it, odd functions keep their sign, and 1/sqrt is the inverse of a root.
// docs/decisions/0012-every-way-at-once.md.
#include <algorithm>
#include <cmath>
#include <limits>

#include "steptp/arithmetic/ball_functions.h"
#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/opaque_reals.h"
#include "steptp/base/hash.h"

namespace steptp::certify {

namespace {

using Value = OpaqueValue;

std::uint64_t key_of(Function function, Twin number) { return combine(static_cast<Hash>(function) + 1, number.p); }

}  // namespace

void OpaqueReals::set_unknown(Value& out, const Value& a, std::uint64_t key) {
  unknowns_.add(a);
  out.number = space_.field.unknown(key);
  out.range = {};
  out.degrees = {1, 0, 0};
  out.set = 0;
  out.is_nonzero = false;
}

/// The unknown of the one of a and -a that comes first, with the sign that belongs to it.
Twin OpaqueReals::odd_unknown(std::uint64_t function, Twin a) const {
  const Twin mirrored = space_.field.negate(a);
  const bool is_first = a.p < mirrored.p;
  const Twin first = is_first ? a : mirrored;
  const Twin made = space_.field.unknown(key_of(static_cast<Function>(function), first));
  return is_first ? made : space_.field.negate(made);
}

void OpaqueReals::round(Function function, Value& out, const Value& a) {
  if (a.value_class != ValueClass::finite) {
    if (&out != &a) out = a;
    return;
  }
  need_class(a);
  if (function == Function::ceil) {
    Value mirrored;
    negate(mirrored, a);
    round(Function::floor, mirrored, mirrored);
    return negate(out, mirrored);
  }
  const auto rounded = [function](double x) { return function == Function::floor ? std::floor(x) : std::nearbyint(x); };
  const double low = rounded(a.range.low);
  const double high = rounded(a.range.high);
  const Twin number = a.number;
  if (&out != &a) out = a;
  if (low == high && std::fabs(low) < 0x1p52) {
    out.number = space_.field.of_integer(static_cast<std::int64_t>(low));
    out.range = {low, high};
    out.is_nonzero = low != 0;
    out.set = 0;
    return;
  }
  set_unknown(out, a, key_of(function, number));
  if (function == Function::round) out.number = odd_unknown(static_cast<std::uint64_t>(function), number);
  out.range = {low, high};
  out.is_piecewise = true;
}

void OpaqueReals::logarithm_or_root(Function function, Value& out, const Value& a) {
  if (a.value_class != ValueClass::finite) return transcendental(function, out, a);
  const bool positive = assumptions_.is_surely_positive(a);
  const bool defined = positive || (function == Function::sqrt && assumptions_.is_surely_nonnegative(a));
  // At zero a log is infinite, which exp would make a number of again: harmless only on a set of measure zero.
  if (!defined && a.is_piecewise && function != Function::sqrt) {
    fail(FailureKind::unsupported, "a log or a root of what may be zero");
  }
  // Where single points matter, log(0) is the value -inf, with which a field cannot compute.
  if (!defined && function == Function::log && space_.poles_are_hazards && !a.number.is_zero()) {
    fail(FailureKind::unsupported, "a logarithm that may be infinite");
  }
  const std::uint32_t hazard = defined || a.number.is_zero() ? 0 : space_.hazard(key_of(function, a.number));
  const bool is_root = function != Function::log;
  const bool is_nonzero = is_positive_anywhere(a);
  const Twin argument = a.number;
  if (argument.is_zero() && function == Function::rsqrt) fail(FailureKind::unsupported, "a division by zero");
  const bool is_one = argument == space_.field.one();
  if (&out != &a) out = a;
  set_unknown(out, a, key_of(is_root ? Function::sqrt : Function::log, argument));
  out.is_least = false;
  out.hazards = space_.united_hazards(out.hazards, hazard);
  out.has_logarithm = out.has_logarithm || (!is_root && !defined);
  if (is_one) out.number = is_root ? space_.field.one() : Twin{};
  if (argument.is_zero() && is_root) out.number = {};
  if (argument.is_zero() && !is_root) set_class(out, ValueClass::negative_infinity);
  if (!is_root) return;
  out.range.low = 0;
  out.is_nonzero = is_nonzero;
  if (function == Function::sqrt) return;
  out.number = space_.field.inverse(out.number);
  out.is_nonzero = true;
  out.degrees = {0, 1, mix(out.number.p)};
}

void OpaqueReals::transcendental(Function function, Value& out, const Value& a) {
  const RealRange range = a.range;
  const Twin argument = a.number;
  if (a.value_class != ValueClass::finite) {
    const LimitValue limit = limit_of(function, a.value_class);
    if (&out != &a) out = a;
    set_class(out, limit.value_class);
    if (limit.value_class == ValueClass::finite && limit.number != 0) {
      out.number = space_.field.of_integer(limit.number);
      out.range = {static_cast<double>(limit.number), static_cast<double>(limit.number)};
      out.is_nonzero = true;
    }
    return;
  }
  const bool is_zero = argument.is_zero();
  if (&out != &a) out = a;
  out.set = 0;
  out.is_least = false;
  if (function == Function::exp) {
    unknowns_.add(a);
    exponentials_.add(a);
    out.number = space_.field.exp(argument);
    out.range = {range.low >= 0 ? 1.0 : 0.0, range.high <= 0 ? 1.0 : std::numeric_limits<double>::infinity()};
    out.is_nonzero = true;
    out.degrees = {1, 0, 0};
    return;
  }
  if (function == Function::tanh) {
    // 1 - 2/(exp(2x)+1), so that it agrees with what is written with exp.
    Value twice;
    Value one;
    integer(one, 1);
    add(twice, a, a);
    transcendental(Function::exp, twice, twice);
    Value below_one;
    subtract(below_one, twice, one);
    add(twice, twice, one);
    divide(out, below_one, twice);
    out.range = {range.low >= 0 ? 0.0 : -1.0, range.high <= 0 ? 0.0 : 1.0};
    return;
  }
  set_unknown(out, a, key_of(function, argument));
  out.range = {-1, 1};
  if (function == Function::cos) {
    const Twin mirrored = space_.field.negate(argument);
    out.number = space_.field.unknown(key_of(function, argument.p < mirrored.p ? argument : mirrored));
    if (is_zero) out.number = space_.field.one();
    return;
  }
  out.number = is_zero ? Twin{} : odd_unknown(static_cast<std::uint64_t>(function), argument);
  if (function == Function::erf) out.range = {range.low >= 0 ? 0.0 : -1.0, range.high <= 0 ? 0.0 : 1.0};
}

void OpaqueReals::function(Function function, Value& out, const Value& a) {
  switch (function) {
    case Function::negate: return negate(out, a);
    case Function::abs: fail(FailureKind::unsupported, "a magnitude where no order is known");
    case Function::floor:
    case Function::ceil:
    case Function::round: round(function, out, a); break;
    case Function::log:
    case Function::sqrt:
    case Function::rsqrt: logarithm_or_root(function, out, a); break;
    case Function::exp:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos: transcendental(function, out, a); break;
  }
  out.core = out.number;
}

}  // namespace steptp::certify
