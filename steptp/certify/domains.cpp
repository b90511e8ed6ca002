#include "steptp/certify/domains.h"

#include <cmath>

namespace steptp::certify {

double nearest_inside(const Domain& domain, double wanted, double unit) {
  switch (domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::masked:
    case Domain::Kind::any: return wanted;
    case Domain::Kind::positive: return wanted > 0 ? wanted : wanted < 0 ? -wanted : 0x1p-30;
    case Domain::Kind::nonzero: return wanted != 0 ? wanted : 0x1p-30;
    case Domain::Kind::range: {
      if (wanted >= domain.low && wanted < domain.high) return wanted;
      const double mapped = domain.low + (domain.high - domain.low) * unit;
      return mapped >= domain.low && mapped < domain.high ? mapped : domain.low;
    }
  }
  return wanted;
}

bool is_two_sided(const Domain& domain) {
  return domain.kind != Domain::Kind::positive && domain.kind != Domain::Kind::range;
}

double greatest_of(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return std::ldexp(2 - std::ldexp(1.0, 1 - type.precision), type.max_exponent);
}

std::int64_t clamp_to(const DTypeInfo& type, double value) {
  if (!(value > static_cast<double>(type.least))) return type.least;
  if (value >= static_cast<double>(type.greatest)) return type.greatest;
  return static_cast<std::int64_t>(value);
}

}  // namespace steptp::certify
