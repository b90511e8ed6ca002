#pragma once

#include <cuda_runtime.h>

struct __half {
  _Float16 value;
};
inline float __half2float(__half x) { return static_cast<float>(x.value); }
inline __half __float2half_rn(float x) { return {static_cast<_Float16>(x)}; }
inline __half __double2half(double x) { return {static_cast<_Float16>(x)}; }
inline __half __ll2half_rn(long long x) { return {static_cast<_Float16>(static_cast<long double>(x))}; }
