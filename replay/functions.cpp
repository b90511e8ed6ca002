// Rounding, functions and conversions of the replayer's numbers.
#include <cmath>
#include <limits>

#include "replay/number.h"
#include "steptp/base/hash.h"

namespace steptp::replayer {

namespace {

/// What the functions of the C library may be off by.
constexpr long double kFunctionUnit = 0x1p-60L;
constexpr long double kRoom = 1 + 0x1p-50L;
/// Of a function whose argument is positive, but not as far as long doubles tell.
constexpr long double kUnknown = std::numeric_limits<long double>::infinity();

struct Estimate {
  long double value = 0;
  long double spread = 0;  ///< how far the function moves while its argument moves by its error
};

Estimate estimate(Function function, const Real& a) {
  long double value = 0;
  long double spread = a.error;
  const long double least = a.value - a.error;
  switch (function) {
    case Function::exp:
      value = std::exp(a.value);
      spread = value * std::expm1(a.error);
      break;
    case Function::log:
      value = least > 0 ? std::log(a.value) : 0;
      spread = least > 0 ? a.error / least : kUnknown;
      break;
    case Function::sqrt:
      value = least > 0 ? std::sqrt(a.value) : 0;
      spread = least > 0 ? a.error / std::sqrt(least) : kUnknown;
      break;
    case Function::rsqrt:
      value = least > 0 ? 1 / std::sqrt(a.value) : 0;
      spread = least > 0 ? a.error / (least * std::sqrt(least)) : kUnknown;
      break;
    case Function::erf:
      value = std::erf(a.value);
      spread = a.error * 1.2L;
      break;
    case Function::tanh: value = std::tanh(a.value); break;
    case Function::sin: value = std::sin(a.value); break;
    case Function::cos: value = std::cos(a.value); break;
    default: break;
  }
  return {value, spread};
}

}  // namespace

Real Numbers::round(Function function, const Real& a) {
  if (!a.is_finite()) return a;
  if (!(a.error < 1)) throw Undecided{"a number is rounded of which too little is known"};
  const auto rounded = [function](long double x) {
    if (function == Function::floor) return std::floor(x);
    if (function == Function::ceil) return std::ceil(x);
    return std::nearbyint(x);
  };
  const long double low = rounded(a.value - a.error);
  const long double nearest = std::nearbyint(a.value);
  if (std::fabs(nearest) > 0x1p61L) throw Undecided{"a large number that is rounded"};
  turn_between(a, of_integer(static_cast<std::int64_t>(nearest)));
  if (function == Function::round) {
    // Halfway between two whole numbers: to the even one.
    const Real half = of_dyadic(2 * static_cast<std::int64_t>(std::floor(a.value)) + 1, -1);
    turn_between(a, half);
    if (a.residue == half.residue && std::fabs(half.value - a.value) <= a.error) {
      return of_integer(static_cast<std::int64_t>(std::nearbyint(half.value)));
    }
  }
  if (a.residue == field_.of_integer(static_cast<std::int64_t>(nearest)) && std::fabs(nearest - a.value) <= a.error) {
    return of_integer(static_cast<std::int64_t>(nearest));
  }
  if (low != rounded(a.value + a.error)) {
    if (!a.fine || function == Function::round) undecided();
    // Between two whole numbers, of which one is next to it.
    const int beside = fine_sign(fine_sum(a.fine, fine_integer(bits_, -static_cast<std::int64_t>(nearest))));
    if (beside != 1 && beside != -1) undecided();
    const int shift = function == Function::floor ? (beside < 0 ? -1 : 0) : (beside > 0 ? 1 : 0);
    return of_integer(static_cast<std::int64_t>(nearest) + shift);
  }
  return of_integer(static_cast<std::int64_t>(low));
}

std::uint64_t Numbers::unknown(std::uint64_t function, std::uint64_t argument) const {
  // As certificates define it: hashed and read in the form x*2^64 mod p.
  const auto radix = static_cast<std::uint64_t>((static_cast<Double>(1) << 64) % field_.prime());
  Hash hash = combine(combine(combine(field_.prime(), function), field_.multiply(argument, radix)), 0);
  while ((hash >> 3) >= field_.prime()) hash = mix(hash);
  return field_.multiply(hash >> 3, field_.inverse(radix));
}

Real Numbers::of_infinity(Function function, const Real& a) const {
  const bool up = a.kind == Class::plus_infinity;
  switch (function) {
    case Function::exp: return up ? a : of_integer(0);
    case Function::erf:
    case Function::tanh: return of_integer(up ? 1 : -1);
    case Function::rsqrt: return up ? of_integer(0) : of_class(Class::nan);
    case Function::log:
    case Function::sqrt: return up ? a : of_class(Class::nan);
    default: return of_class(Class::nan);
  }
}

Real Numbers::transcendental(Function function, const Real& a) {
  if (a.kind == Class::nan) return a;
  if (!a.is_finite()) return of_infinity(function, a);
  const bool positive_only = function == Function::log || function == Function::sqrt || function == Function::rsqrt;
  // Certificates define no such rule, so that it is left to the replayer's own prime.
  if (function == Function::log && field_.prime() == kPrime) {
    if (const auto found = exponentials_.find(a.residue); found != exponentials_.end()) {
      was_ambiguous_ = true;
      return found->second;
    }
  }
  if (positive_only) {
    turn(a);
    const int found = sign(a);
    if (found < 0) return of_class(Class::nan);
    if (found == 0) {
      if (function == Function::log) return of_class(Class::minus_infinity);
      if (function == Function::rsqrt) throw Undefined{"rsqrt of zero"};
      return of_integer(0);
    }
  }
  const bool is_square = function == Function::sqrt && a.value == std::floor(a.value);
  was_ambiguous_ |= a.residue == 0 || is_square || (function == Function::log && a.residue == 1);
  const bool is_zero = a.error == 0 && a.value == 0 && a.residue == 0;
  if (is_zero) return of_integer(function == Function::exp || function == Function::cos ? 1 : 0);
  if (a.error == 0 && a.value == 1 && function == Function::log) return of_integer(0);
  if (function == Function::exp) {
    if (const auto found = logarithms_.find(a.residue); found != logarithms_.end()) {
      was_ambiguous_ = true;
      return found->second;
    }
  }
  const auto [value, spread] = estimate(function, a);
  const long double error = (spread + std::fabs(value) * kFunctionUnit + 0x1p-16000L) * kRoom;
  // sqrt(4) and its like are the numbers they are, as far as integers hold them.
  constexpr long double kMostRoot = 0x1p62L;
  const bool is_exact = a.error == 0 && value == std::floor(value) && std::fma(value, value, -a.value) == 0;
  if (function == Function::sqrt && is_exact && value < kMostRoot) {
    return of_integer(static_cast<std::int64_t>(value));
  }
  ++functions_;
  std::uint64_t residue = 0;
  if (function == Function::rsqrt) {
    const std::uint64_t root = unknown(static_cast<std::uint64_t>(Function::sqrt), a.residue);
    residue = field_.inverse(root == 0 ? 1 : root);
  } else {
    residue = unknown(static_cast<std::uint64_t>(function), a.residue);
  }
  if (function == Function::log) logarithms_.emplace(residue, a);
  if (function == Function::exp) exponentials_.emplace(residue, a);
  if (function == Function::sqrt) roots_.emplace(residue, a.residue);
  return enclosed({residue, value, error, Class::finite, nullptr}, fine_function(function, a.fine));
}

std::uint64_t Numbers::without_root(const Real& a) const {
  const auto found = roots_.find(a.residue);
  return found == roots_.end() ? a.residue : found->second;
}

Real Numbers::function(Function function, const Real& a) {
  switch (function) {
    case Function::negate: return negate(a);
    case Function::abs:
      if (a.kind == Class::nan) return a;
      turn(a);
      return sign(a) < 0 ? negate(a) : a;
    case Function::floor:
    case Function::ceil:
    case Function::round: return round(function, a);
    case Function::exp:
    case Function::log:
    case Function::sqrt:
    case Function::erf:
    case Function::tanh:
    case Function::sin:
    case Function::cos:
    case Function::rsqrt: return transcendental(function, a);
  }
  return a;
}

std::int64_t Numbers::to_integer(const Real& a, DType dtype) {
  if (dtype == DType::boolean) turn(a);
  if (dtype == DType::boolean) return a.kind == Class::nan || sign(a) != 0 ? 1 : 0;
  const DTypeInfo& type = info(dtype);
  switch (a.kind) {
    case Class::nan: return 0;
    case Class::plus_infinity: return type.greatest;
    case Class::minus_infinity: return type.least;
    case Class::finite: break;
  }
  if (a.value - a.error >= static_cast<long double>(type.greatest)) return type.greatest;
  if (a.value + a.error <= static_cast<long double>(type.least)) return type.least;
  // Towards zero.
  return static_cast<std::int64_t>(round(a.value < 0 ? Function::ceil : Function::floor, a).value);
}

}  // namespace steptp::replayer
