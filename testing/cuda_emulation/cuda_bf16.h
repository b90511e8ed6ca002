#pragma once

#include <cuda_runtime.h>

struct __nv_bfloat16 {
  std::uint16_t bits;
};
inline float __bfloat162float(__nv_bfloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return {0x7fc0};
  return {static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
/// Rounded to odd on the way, so that it is rounded once.
inline __nv_bfloat16 stp_wide_to_bfloat16(long double x) {
  const auto single = static_cast<float>(x);
  auto bits = std::bit_cast<std::uint32_t>(single);
  if (x == x && static_cast<long double>(single) != x && (bits & 1) == 0) {
    bits = std::fabs(static_cast<long double>(single)) < std::fabs(x) ? bits + 1 : bits - 1;
  }
  return __float2bfloat16_rn(std::bit_cast<float>(bits));
}
inline __nv_bfloat16 __double2bfloat16(double x) { return stp_wide_to_bfloat16(x); }
inline __nv_bfloat16 __ll2bfloat16_rn(long long x) { return stp_wide_to_bfloat16(static_cast<long double>(x)); }
