#pragma once

#include <cstddef>

namespace steptp::tlm {

/// e to the power x with a relative error of some 2e-7, for x from -87 to 88; what is smaller gives almost zero. Plain
/// operations only, so that the result is the same on every machine and loops over it are vectorised.
[[nodiscard]] float fast_exp(float x);

/// out = (x - mean) / sqrt(variance + 1e-5) * weight, over `width` numbers, a multiple of 16.
void normalise(const float* x, const float* weight, std::size_t width, float* out);

/// Each number x becomes x * Phi(x), by the usual formula with tanh.
void gelu(float* x, std::size_t count);

/// `count` scores become weights that sum to one.
void softmax(float* scores, std::size_t count);

}  // namespace steptp::tlm
