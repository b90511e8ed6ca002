#include "steptp/oracle/reach.h"

#include <algorithm>

namespace steptp {

namespace {

constexpr Wide kHuge = Wide{1} << 100;

MaybeReach bounded(Wide low, Wide high) {
  if (low < -kHuge || high > kHuge) return std::nullopt;
  return Reach{low, high};
}

}  // namespace

Wide floor_quotient_wide(Wide dividend, Wide divisor) {
  const Wide result = dividend / divisor;
  return dividend % divisor != 0 && (dividend < 0) != (divisor < 0) ? result - 1 : result;
}

Wide floor_remainder_wide(Wide dividend, Wide divisor) {
  const Wide result = dividend % divisor;
  return result != 0 && (result < 0) != (divisor < 0) ? result + divisor : result;
}

MaybeReach reach_of(DType dtype) {
  if (is_float(dtype)) return std::nullopt;
  return Reach{info(dtype).least, info(dtype).greatest};
}

MaybeReach add(const MaybeReach& left, const MaybeReach& right) {
  if (!left || !right) return std::nullopt;
  return bounded(left->low + right->low, left->high + right->high);
}

MaybeReach multiply(const MaybeReach& left, const MaybeReach& right) {
  if (!left || !right) return std::nullopt;
  Wide corners[4];
  if (__builtin_mul_overflow(left->low, right->low, &corners[0]) ||
      __builtin_mul_overflow(left->low, right->high, &corners[1]) ||
      __builtin_mul_overflow(left->high, right->low, &corners[2]) ||
      __builtin_mul_overflow(left->high, right->high, &corners[3])) {
    return std::nullopt;
  }
  return bounded(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
}

MaybeReach quotient(const MaybeReach& dividend, const MaybeReach& divisor) {
  if (!dividend) return std::nullopt;
  if (!divisor || (divisor->low <= 0 && divisor->high >= 0)) {
    // Whatever the divisor, the quotient is no larger than the dividend.
    const Wide size = std::max(dividend->high, -dividend->low);
    return bounded(-size, size);
  }
  const Wide corners[4] = {
      floor_quotient_wide(dividend->low, divisor->low), floor_quotient_wide(dividend->low, divisor->high),
      floor_quotient_wide(dividend->high, divisor->low), floor_quotient_wide(dividend->high, divisor->high)};
  return bounded(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
}

MaybeReach remainder(const MaybeReach& dividend, const MaybeReach& divisor) {
  if (!divisor) return std::nullopt;
  if (dividend && dividend->low >= 0 && divisor->low > dividend->high) return dividend;
  return bounded(std::min<Wide>(divisor->low + 1, 0), std::max<Wide>(divisor->high - 1, 0));
}

}  // namespace steptp
