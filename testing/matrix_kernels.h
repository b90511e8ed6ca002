#pragma once

#include <array>
#include <string>

namespace steptp::testing {

enum class MatrixKernel { f16_f32, bf16_f32, f16_f16, f64_8x8x4, f64_16x8x16 };
inline constexpr std::array kMatrixKernels = {MatrixKernel::f16_f32, MatrixKernel::bf16_f32, MatrixKernel::f16_f16,
                                              MatrixKernel::f64_8x8x4, MatrixKernel::f64_16x8x16};

/// CUDA text of a product of 32 x 16 x 96 that is added to its third buffer, written by hand: tiles of 32 x 32 and
/// 32 x 16 that are copied ahead, swizzled, and read by two warps.
[[nodiscard]] std::string matrix_kernel(MatrixKernel kind);

}  // namespace steptp::testing
