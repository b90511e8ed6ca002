#include "testing/matrix_kernels.h"

#include <string_view>

#include "steptp/base/text.h"
#include "steptp/cuda/prelude.h"

namespace steptp::testing {

namespace {

/// Rounds of 32 of k; two tiles of each operand, one of which is on its way. A row of A has 64 bytes and one of B 32.
constexpr std::string_view kHalves = R"(
__global__ void __launch_bounds__(64) kernel_0(const TYPE* A, const TYPE* B, SUM* C) {
  __shared__ __align__(128) unsigned char a_tile[2][32 * 64];
  __shared__ __align__(128) unsigned char b_tile[2][32 * 32];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32, g = lane / 4, t = lane % 4;
  FRAGMENTS
  const auto fetch = [&](int round) {
    for (int i = thread; i < 128; i += 64) {
      const int row = i / 4, part = i % 4;
      stp_copy_ahead<16>(a_tile[round % 2] + stp_swizzled<2, 7, 4>(row * 64 + part * 16), A + row * 96 + round * 32 + part * 8);
    }
    const int row = thread / 2, part = thread % 2;
    stp_copy_ahead<16>(b_tile[round % 2] + stp_swizzled<1, 7, 4>(row * 32 + part * 16), B + (round * 32 + row) * 16 + part * 8);
    stp_copies_close();
  };
  fetch(0);
  for (int round = 0; round < 3; ++round) {
    if (round + 1 < 3) {
      fetch(round + 1);
      stp_copies_wait<1>();
    } else {
      stp_copies_wait<0>();
    }
    __syncthreads();
    for (int k = 0; k < 32; k += 16) {
      unsigned a[4], b[4];
      stp_ldmatrix(a, a_tile[round % 2] + stp_swizzled<2, 7, 4>((warp * 16 + lane % 16) * 64 + k * 2 + lane / 16 * 16));
      stp_ldmatrix_transposed(b, b_tile[round % 2] + stp_swizzled<1, 7, 4>((k + lane % 16) * 32 + lane / 16 * 16));
      for (int j = 0; j < 2; ++j) {
        const unsigned part[2] = {b[2 * j], b[2 * j + 1]};
        MULTIPLY(d[j], a, part);
      }
    }
    __syncthreads();
  }
  RESULTS
}
)";
constexpr std::string_view kFloatFragments = R"(float d[2][4];
  for (int j = 0; j < 2; ++j) {
    for (int e = 0; e < 4; ++e) d[j][e] = C[(warp * 16 + g + e / 2 * 8) * 16 + j * 8 + 2 * t + e % 2];
  })";
constexpr std::string_view kFloatResults = R"(for (int j = 0; j < 2; ++j) {
    for (int e = 0; e < 4; ++e) C[(warp * 16 + g + e / 2 * 8) * 16 + j * 8 + 2 * t + e % 2] = d[j][e];
  })";
constexpr std::string_view kHalfFragments = R"(unsigned d[2][2];
  for (int j = 0; j < 2; ++j) {
    for (int e = 0; e < 2; ++e) d[j][e] = *(const unsigned*)(C + (warp * 16 + g + e * 8) * 16 + j * 8 + 2 * t);
  })";
constexpr std::string_view kHalfResults = R"(for (int j = 0; j < 2; ++j) {
    for (int e = 0; e < 2; ++e) *(unsigned*)(C + (warp * 16 + g + e * 8) * 16 + j * 8 + 2 * t) = d[j][e];
  })";

/// Operands straight from memory: there is no ldmatrix for doubles.
constexpr std::string_view kDoubles = R"(
__global__ void __launch_bounds__(64) kernel_0(const double* A, const double* B, double* C) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  for (int j = 0; j < 2; ++j) {
    double d[4];
    for (int e = 0; e < 4; ++e) d[e] = C[(warp * 16 + g + e / 2 * 8) * 16 + j * 8 + 2 * t + e % 2];
    for (int k = 0; k < 96; k += 16) {
      double a[8], b[4];
      for (int e = 0; e < 8; ++e) a[e] = A[(warp * 16 + g + e % 2 * 8) * 96 + k + e / 2 * 4 + t];
      for (int e = 0; e < 4; ++e) b[e] = B[(k + e * 4 + t) * 16 + j * 8 + g];
      MULTIPLY
    }
    for (int e = 0; e < 4; ++e) C[(warp * 16 + g + e / 2 * 8) * 16 + j * 8 + 2 * t + e % 2] = d[e];
  }
}
)";

constexpr std::string_view kEntry = R"(
#ifndef __CUDACC_RTC__
extern "C" size_t steptp_workspace_bytes() { return 0; }
extern "C" int steptp_launch(void* const* v, void*, void* stream) {
  STP_LAUNCH(kernel_0, dim3(1), dim3(64), 0, stream, (TYPE*)v[0], (TYPE*)v[1], (SUM*)v[2]);
  return cudaGetLastError();
}
#endif
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string finished(std::string text, std::string_view type, std::string_view sum) {
  text = replaced(replaced(std::move(text) + std::string(kEntry), "TYPE", type), "SUM", sum);
  return cuda::prelude_for(text) + text;
}

std::string halves(std::string_view type, std::string_view sum, std::string_view instruction) {
  const bool is_half = sum == "__half";
  std::string text = replaced(std::string(kHalves), "MULTIPLY", instruction);
  text = replaced(std::move(text), "FRAGMENTS", is_half ? kHalfFragments : kFloatFragments);
  return finished(replaced(std::move(text), "RESULTS", is_half ? kHalfResults : kFloatResults), type, sum);
}

std::string doubles(std::string_view instructions) {
  return finished(replaced(std::string(kDoubles), "MULTIPLY", instructions), "double", "double");
}

}  // namespace

std::string matrix_kernel(MatrixKernel kind) {
  switch (kind) {
    case MatrixKernel::f16_f32: return halves("__half", "float", "stp_mma_f16_f32");
    case MatrixKernel::bf16_f32: return halves("__nv_bfloat16", "float", "stp_mma_bf16_f32");
    case MatrixKernel::f16_f16: return halves("__half", "__half", "stp_mma_f16_f16");
    case MatrixKernel::f64_8x8x4:
      return doubles(
          "for (int i = 0; i < 4; ++i) {\n        stp_mma_f64_8x8x4(d[0], d[1], a[2 * i], b[i]);\n"
          "        stp_mma_f64_8x8x4(d[2], d[3], a[2 * i + 1], b[i]);\n      }");
    case MatrixKernel::f64_16x8x16: return doubles("stp_mma_f64_16x8x16(d, a, b);");
  }
  return {};
}

}  // namespace steptp::testing
