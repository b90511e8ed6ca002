// The kinds of values that operations can give: an interpretation of operations over the six kinds of replay/nature.h,
// for facts that a certificate states of every value of a tensor. It shares nothing with the judge's own
// (prove/signs.*, prove/traits.*), on purpose.
#include "replay/nature.h"

#include <bit>

namespace steptp::replayer::nature {

namespace {

bool has(Nature a, Nature kinds) { return (a & kinds) != 0; }

constexpr Nature kSingle[] = {kMinusInfinity, kNegative, kZero, kPositive, kPlusInfinity, kNan};

/// The union over all pairs of single kinds.
template <typename OfPair>
Nature over_pairs(Nature a, Nature b, const OfPair& of_pair) {
  Nature out = 0;
  for (const Nature one : kSingle) {
    for (const Nature other : kSingle) {
      if (has(a, one) && has(b, other)) out |= of_pair(one, other);
    }
  }
  return out;
}

int sign_of(Nature single) {
  if (single == kZero) return 0;
  return has(single, kPositive | kPlusInfinity) ? 1 : -1;
}

Nature with_sign(int sign, bool is_infinite) {
  if (sign == 0) return kZero;
  if (is_infinite) return sign > 0 ? kPlusInfinity : kMinusInfinity;
  return sign > 0 ? kPositive : kNegative;
}

Nature sum_of_pair(Nature a, Nature b) {
  if (has(a | b, kNan)) return kNan;
  if ((a | b) == kInfinite) return kNan;
  if (has(a, kInfinite)) return a;
  if (has(b, kInfinite)) return b;
  if (a == kZero) return b;
  if (b == kZero || a == b) return a;
  return kFinite;
}

Nature product_of_pair(Nature a, Nature b) {
  if (has(a | b, kNan)) return kNan;
  const bool is_infinite = has(a | b, kInfinite);
  const int sign = sign_of(a) * sign_of(b);
  if (sign == 0) return is_infinite ? kNan : kZero;
  return with_sign(sign, is_infinite);
}

/// A quotient by zero has no value.
Nature quotient_of_pair(Nature above, Nature below) {
  if (below == kZero) return 0;
  if (has(above | below, kNan)) return kNan;
  if (has(below, kInfinite)) return has(above, kInfinite) ? kNan : kZero;
  return with_sign(sign_of(above) * sign_of(below), has(above, kInfinite));
}

Nature function_of_single(Function function, Nature a) {
  if (a == kNan) return kNan;
  const bool is_below_zero = has(a, kMinusInfinity | kNegative);
  switch (function) {
    case Function::negate: return a == kZero ? kZero : with_sign(-sign_of(a), has(a, kInfinite));
    case Function::exp: return a == kMinusInfinity ? kZero : a == kPlusInfinity ? kPlusInfinity : kPositive;
    case Function::log:
      if (is_below_zero) return kNan;
      return a == kZero ? kMinusInfinity : a == kPlusInfinity ? kPlusInfinity : kFinite;
    case Function::sqrt: return is_below_zero ? kNan : a;
    case Function::rsqrt:
      if (is_below_zero) return kNan;
      return a == kZero ? Nature{0} : a == kPlusInfinity ? kZero : kPositive;
    case Function::abs: return a == kZero ? kZero : has(a, kInfinite) ? kPlusInfinity : kPositive;
    case Function::erf:
    case Function::tanh: return with_sign(sign_of(a), false);
    case Function::sin: return has(a, kInfinite) ? kNan : a == kZero ? kZero : kFinite;
    case Function::cos: return has(a, kInfinite) ? kNan : a == kZero ? kPositive : kFinite;
    case Function::floor: return a == kPositive ? static_cast<Nature>(kZero | kPositive) : a;
    case Function::ceil: return a == kNegative ? static_cast<Nature>(kZero | kNegative) : a;
    case Function::round: return has(a, kNegative | kPositive) ? static_cast<Nature>(kZero | a) : a;
  }
  return kAnything;
}

/// The kinds at or below the greatest of a set, and at or above the least: bits are in the order of numbers.
Nature up_to(Nature a) {
  const Nature ordered = a & kOrdered;
  return static_cast<Nature>(std::bit_ceil(static_cast<unsigned>(ordered) + 1U) - 1U);
}
Nature from(Nature a) {
  const Nature ordered = a & kOrdered;
  if (ordered == 0) return 0;
  const unsigned least = 1U << std::countr_zero(static_cast<unsigned>(ordered));
  return static_cast<Nature>(kOrdered & ~(least - 1U));
}

/// Infinities and zero are single numbers: nothing of the same kind is less.
Nature without_single(Nature kinds, Nature end) {
  return has(end, kInfinite | kZero) ? static_cast<Nature>(kinds & ~end) : kinds;
}

}  // namespace

Nature of_interval(double low, double high) {
  Nature out = 0;
  if (low < 0) out |= kNegative;
  if (low <= 0 && high >= 0) out |= kZero;
  if (high > 0) out |= kPositive;
  return out;
}

Nature negated(Nature a) { return function(Function::negate, a); }
Nature sum(Nature a, Nature b) { return over_pairs(a, b, sum_of_pair); }
Nature product(Nature a, Nature b) { return over_pairs(a, b, product_of_pair); }
Nature quotient(Nature above, Nature below) { return over_pairs(above, below, quotient_of_pair); }

/// NaN is dropped beside what is none.
Nature extremum(bool is_max, Nature a, Nature b) {
  return over_pairs(a, b, [is_max](Nature one, Nature other) {
    if (one == kNan) return other;
    if (other == kNan) return one;
    return is_max == (one > other) ? one : other;
  });
}

Nature whole_power(Nature base, std::int64_t exponent) {
  if (exponent == 0) return kPositive;
  Nature out = 0;
  for (const Nature single : kSingle) {
    if (!has(base, single)) continue;
    if (single == kNan) {
      out |= kNan;
      continue;
    }
    const int sign = exponent % 2 == 0 && single != kZero ? 1 : sign_of(single);
    if (exponent > 0) {
      out |= with_sign(sign, has(single, kInfinite));
    } else if (single != kZero) {
      out |= has(single, kInfinite) ? kZero : with_sign(sign, false);
    }
  }
  return out;
}

Nature real_power(Nature base, Nature exponent) {
  if ((base & ~kPositive) == 0 && (exponent & ~kFinite) == 0) return kPositive;
  if ((base & ~(kPositive | kZero)) == 0 && (exponent & ~kPositive) == 0) return kPositive | kZero;
  return kAnything;
}

Nature function(Function function, Nature a) {
  Nature out = 0;
  for (const Nature single : kSingle) {
    if (has(a, single)) out |= function_of_single(function, single);
  }
  return out;
}

Nature fold(ArithmeticOp op, Nature term, bool may_be_empty) {
  if (op == ArithmeticOp::max || op == ArithmeticOp::min) {
    // It begins at an infinity, and a NaN leaves it as it is.
    const Nature start = op == ArithmeticOp::max ? kMinusInfinity : kPlusInfinity;
    const bool may_keep_start = may_be_empty || has(term, kNan);
    return static_cast<Nature>((term & kOrdered) | (may_keep_start ? start : 0));
  }
  // Terms are joined until nothing is new.
  const bool is_sum = op == ArithmeticOp::add;
  Nature out = term;
  for (Nature more = 0; more != out;) {
    more = out;
    out |= is_sum ? sum(out, term) : product(out, term);
  }
  return static_cast<Nature>(out | (may_be_empty ? (is_sum ? kZero : kPositive) : 0));
}

Nature where_less(Nature a, Nature b, bool or_equal) {
  const Nature below = up_to(b);
  const auto greatest = static_cast<Nature>(std::bit_floor(static_cast<unsigned>(b & kOrdered)));
  return a & (or_equal ? below : without_single(below, greatest));
}

Nature where_greater(Nature a, Nature b, bool or_equal) {
  const Nature above = from(b);
  const auto least = static_cast<Nature>((b & kOrdered) & -(b & kOrdered));
  return a & (or_equal ? above : without_single(above, least));
}

}  // namespace steptp::replayer::nature
