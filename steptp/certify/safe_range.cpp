#include "steptp/certify/safe_range.h"

#include <algorithm>
#include <cmath>

namespace steptp::certify {

SafeRange::Exponents SafeRange::exponents(DType dtype) const {
  const int most = info(dtype).max_exponent;
  switch (kind) {
    case Kind::middle: return {-(most / 2), most / 2};
    case Kind::full: return {1 - most, most};
    case Kind::given: break;
  }
  const int least_exponent = low > 0 ? static_cast<int>(std::floor(std::log2(low))) : 1 - most;
  return {std::clamp(least_exponent, 1 - most, most),
          std::clamp(static_cast<int>(std::ceil(std::log2(high))), 1 - most, most)};
}

double SafeRange::least(DType dtype) const { return kind == Kind::given ? low : std::ldexp(1.0, exponents(dtype).low); }

double SafeRange::greatest(DType dtype) const {
  if (kind == Kind::given) return high;
  const DTypeInfo& type = info(dtype);
  if (kind == Kind::full) return (2 - std::ldexp(1.0, 1 - type.precision)) * std::ldexp(1.0, type.max_exponent);
  return std::ldexp(1.0, exponents(dtype).high);
}

}  // namespace steptp::certify
