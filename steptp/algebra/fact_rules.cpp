#include "steptp/algebra/fact_rules.h"

#include <algorithm>
#include <cmath>

namespace steptp::algebra {

namespace {

/// No bound times zero is zero.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Fact number_between(double low, double high) {
  Fact out;
  out.finite = true;
  out.low = low;
  out.high = high;
  return out;
}

/// A higher power of a moderate value is no longer moderate.
constexpr int kModerateExponent = 8;

/// Wider by a relative error that covers a few roundings; zero stays zero.
constexpr double kSlack = 0x1p-48;

}  // namespace

double below(double bound) { return bound == 0 || std::isinf(bound) ? bound : bound - std::fabs(bound) * kSlack; }
double above(double bound) { return bound == 0 || std::isinf(bound) ? bound : bound + std::fabs(bound) * kSlack; }

Fact rule_number(double value) {
  if (!std::isfinite(value)) return {};
  Fact out = number_between(below(value), above(value));
  out.nonzero = value != 0;
  if (value != 0) out.small = out.large = std::log(std::fabs(value));
  return out;
}

Fact rule_negate(const Fact& a) {
  Fact out = a;
  out.low = -a.high;
  out.high = -a.low;
  return out;
}

Fact rule_add(const Fact& a, const Fact& b) {
  if (!a.finite || !b.finite) return {};
  Fact out = number_between(below(a.low + b.low), above(a.high + b.high));
  // The slack is relative to the result: where terms of both signs meet, to what they were.
  if (std::isfinite(out.low)) out.low -= (std::fabs(a.low) + std::fabs(b.low)) * kSlack * (a.low * b.low < 0 ? 1 : 0);
  if (std::isfinite(out.high)) {
    out.high += (std::fabs(a.high) + std::fabs(b.high)) * kSlack * (a.high * b.high < 0 ? 1 : 0);
  }
  const bool added = a.is_nonnegative() && b.is_nonnegative();
  const bool taken = a.is_nonpositive() && b.is_nonpositive();
  out.nonzero = (added || taken) && (a.is_nonzero() || b.is_nonzero());
  out.large = std::max(a.large, b.large);
  out.small = added || taken ? std::max(a.small, b.small) : std::min({0.0, a.small, b.small});
  return out;
}

Fact rule_multiply(const Fact& a, const Fact& b) {
  if (!a.finite || !b.finite) return {};
  const double products[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
  Fact out = number_between(below(*std::min_element(products, products + 4)),
                            above(*std::max_element(products, products + 4)));
  out.nonzero = a.is_nonzero() && b.is_nonzero();
  out.small = a.small + b.small;
  out.large = a.large + b.large;
  return out;
}

Fact rule_invert(const Fact& a) {
  if (!a.is_nonzero()) return {};
  Fact out = number_between(-kUnbounded, kUnbounded);
  if (a.low >= 0) {
    out.low = a.high == kUnbounded ? 0 : below(1 / a.high);
    out.high = a.low > 0 ? above(1 / a.low) : kUnbounded;
  } else if (a.high <= 0) {
    out.high = a.low == -kUnbounded ? 0 : above(1 / a.low);
    out.low = a.high < 0 ? below(1 / a.high) : -kUnbounded;
  }
  out.nonzero = true;
  out.small = -a.large;
  out.large = -a.small;
  return out;
}

Fact rule_natural_power(const Fact& a, int exponent) {
  if (!a.finite) return {};
  Fact out = number_between(-kUnbounded, kUnbounded);
  const double low = std::pow(a.low, exponent);
  const double high = std::pow(a.high, exponent);
  if (exponent % 2 == 1) {
    out = number_between(below(low), above(high));
  } else {
    const bool crosses = a.low < 0 && a.high > 0;
    out = number_between(crosses ? 0 : below(std::min(low, high)), above(std::max(low, high)));
  }
  out.nonzero = a.is_nonzero();
  out.small = a.small * exponent;
  out.large = a.large * exponent;
  if (exponent > kModerateExponent) {
    out.small = -kUnbounded;
    if (a.low < -1 || a.high > 1) out.large = kUnbounded;
  }
  return out;
}

Fact rule_real_power(const Fact& base, const Fact& exponent) {
  if (!base.is_positive() || !exponent.finite) return {};
  Fact out = number_between(0, kUnbounded);
  out.nonzero = true;
  const bool bounded = exponent.low >= -kModerateExponent && exponent.high <= kModerateExponent;
  const double sizes[] = {0, times(base.large, exponent.high), times(base.small, exponent.low),
                          times(base.small, exponent.high), times(base.large, exponent.low)};
  out.large = kUnbounded;
  out.small = -kUnbounded;
  if (bounded) {
    out.large = *std::max_element(sizes, sizes + 5);
    out.small = *std::min_element(sizes, sizes + 5);
  }
  if (base.low >= 1 && exponent.low >= 0) out.low = 1;
  if (base.high <= 1 && exponent.low >= 0) out.high = 1;
  return out;
}

Fact rule_extremum(bool is_max, const Fact& a, const Fact& b) {
  if (!is_max) return rule_negate(rule_extremum(true, rule_negate(a), rule_negate(b)));
  if (!a.finite || !b.finite) return {};
  Fact out = number_between(std::max(a.low, b.low), std::max(a.high, b.high));
  out.nonzero = (a.is_nonzero() && b.is_nonzero()) || a.is_positive() || b.is_positive();
  // It is at least what is positive for sure.
  out.small = std::min(a.small, b.small);
  if (a.is_positive()) out.small = std::max(out.small, a.small);
  if (b.is_positive()) out.small = std::max(out.small, b.small);
  out.large = std::max(a.large, b.large);
  return out;
}

Fact rule_call(Function function, const Fact& a) {
  if (function == Function::negate) return rule_negate(a);
  if (!a.finite) return {};
  Fact out = number_between(-kUnbounded, kUnbounded);
  switch (function) {
    case Function::negate: break;
    case Function::exp:
      out.low = below(std::exp(a.low));
      out.high = above(std::exp(a.high));
      out.nonzero = true;
      out.small = std::min(0.0, a.low);
      out.large = std::max(0.0, a.high);
      return out;
    case Function::log:
      if (!a.is_positive()) return {};
      if (a.low > 0) out.low = std::log(a.low) - 1e-9;
      if (std::isfinite(a.high)) out.high = std::log(a.high) + 1e-9;
      out.nonzero = a.low > 1.000001 || a.high < 0.999999;
      return out;
    case Function::sqrt:
    case Function::rsqrt: {
      if (!a.is_nonnegative() || (function == Function::rsqrt && !a.is_positive())) return {};
      out.low = below(std::sqrt(a.low));
      out.high = above(std::sqrt(a.high));
      out.nonzero = a.is_nonzero();
      out.small = a.small / 2;
      out.large = a.large / 2;
      return function == Function::sqrt ? out : rule_invert(out);
    }
    case Function::abs: {
      const bool crosses = a.low < 0 && a.high > 0;
      out.low = crosses ? 0 : std::min(std::fabs(a.low), std::fabs(a.high));
      out.high = std::max(std::fabs(a.low), std::fabs(a.high));
      out.nonzero = a.is_nonzero();
      out.small = a.small;
      out.large = a.large;
      return out;
    }
    case Function::erf:
    case Function::tanh:
      out.low = a.low >= 0 ? 0 : -1;
      out.high = a.high <= 0 ? 0 : 1;
      out.nonzero = a.is_nonzero();
      out.small = std::min(0.0, a.small);
      return out;
    case Function::sin:
    case Function::cos: return number_between(-1, 1);
    case Function::floor:
    case Function::ceil:
    case Function::round:
      out.low = std::floor(a.low);
      out.high = std::ceil(a.high);
      out.large = a.large;
      return out;
  }
  return {};
}

}  // namespace steptp::algebra
