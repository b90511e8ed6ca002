#pragma once

#include <cstdint>

namespace steptp::certify {

/// A decimal exactly as written: digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  std::int32_t exponent = 0;
  double nearest = 0;
  bool operator==(const Decimal&) const = default;
};
[[nodiscard]] Decimal decimal_of(double literal);

}  // namespace steptp::certify
