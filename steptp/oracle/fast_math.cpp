#include "steptp/oracle/fast_math.h"

#include <cmath>
#include <limits>
#include <optional>

#include "steptp/oracle/exact_math.h"
#include "steptp/oracle/scalar.h"

namespace steptp {

namespace {

/// Relative distances allowed for the libm: 2^13 units in the last place of a double, 2^6 of an extended one.
constexpr double kDoubleDistance = 0x1p-40;
constexpr long double kExtendedDistance = 0x1p-58L;

template <typename Real>
Real propose(Function function, Real x) {
  switch (function) {
    case Function::exp: return std::exp(x);
    case Function::log: return std::log(x);
    case Function::erf: return std::erf(x);
    case Function::tanh: return std::tanh(x);
    case Function::sin: return std::sin(x);
    case Function::cos: return std::cos(x);
    case Function::rsqrt: return Real{1} / std::sqrt(x);
    case Function::negate:
    case Function::sqrt:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: break;
  }
  return std::numeric_limits<Real>::quiet_NaN();  // passes no test
}

/// A proposal so small that the wider type itself may have lost digits, or that is no number, proves nothing.
template <typename Real>
bool is_plain(Real value) {
  return std::isfinite(value) && std::fabs(value) > Real{0x1p-1000};
}

/// Whether long double really computes with at least 64 digits: compilers, processor settings and emulators (valgrind)
/// can make it less than its type says. Asked at run time, once per call, since it costs two additions.
bool extended_is_wide() {
  if constexpr (std::numeric_limits<long double>::digits < 64) return false;
  volatile long double one = 1.0L;
  const volatile long double sum = one + 0x1p-63L;
  return sum != one;
}

}  // namespace

std::optional<double> settled(DType dtype, double proposed) {
  if (!is_plain(proposed)) return std::nullopt;
  const double low = round_to(dtype, proposed - proposed * kDoubleDistance);
  const double high = round_to(dtype, proposed + proposed * kDoubleDistance);
  if (low != high) return std::nullopt;
  return low;
}

std::optional<double> settled(long double proposed) {
  if (!is_plain(proposed)) return std::nullopt;
  const auto low = static_cast<double>(proposed - proposed * kExtendedDistance);
  const auto high = static_cast<double>(proposed + proposed * kExtendedDistance);
  if (low != high) return std::nullopt;
  return low;
}

double rounded_function(DType dtype, Function function, double x) {
  std::optional<double> result;
  if (dtype != DType::f64) {
    result = settled(dtype, propose<double>(function, x));
  } else if (extended_is_wide()) {
    result = settled(propose<long double>(function, static_cast<long double>(x)));
  }
  return result ? *result : exact_function(dtype, function, x);
}

double rounded_power(DType dtype, double base, double exponent) {
  // The square and the inverse, by far the most frequent, are single operations (arithmetic.cpp says why one rounding).
  if (exponent == 2.0) return round_to(dtype, base * base);
  if (exponent == -1.0) return round_to(dtype, 1.0 / base);
  if (exponent == 1.0) return base;
  std::optional<double> result;
  // No extended powl: its error grows with the exponent in more than one libm.
  if (dtype != DType::f64) result = settled(dtype, std::pow(base, exponent));
  return result ? *result : exact_power(dtype, base, exponent);
}

}  // namespace steptp
