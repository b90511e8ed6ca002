#include "steptp/tlm/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace steptp::tlm {

namespace {

/// Sums run in 16 lanes, which are added in their order: the compiler vectorises that without changing any result.
constexpr std::size_t kLanes = 16;

// Compiled for several generations of x86-64; all of them do the same operations, so their results are the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define STEPTP_FOR_EACH_MACHINE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define STEPTP_FOR_EACH_MACHINE
#endif

float sum_of_lanes(const float (&lanes)[kLanes]) {
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

inline __attribute__((always_inline)) float exp_inline(float x) {
  const float clamped = std::min(std::max(x, -87.0F), 88.0F);
  // The nearest integer to x / ln 2, by adding and subtracting 1.5 * 2^23.
  const float shifted = clamped * 1.44269504F + 12582912.0F;
  const float whole = shifted - 12582912.0F;
  const float rest = (clamped - whole * 0.693359375F) + whole * 2.12194440e-4F;
  float sum = 1.9875691500e-4F;
  sum = sum * rest + 1.3981999507e-3F;
  sum = sum * rest + 8.3334519073e-3F;
  sum = sum * rest + 4.1665795894e-2F;
  sum = sum * rest + 1.6666665459e-1F;
  sum = sum * rest + 5.0000001201e-1F;
  sum = sum * rest * rest + rest + 1.0F;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &sum, sizeof bits);
  std::uint32_t power = 0;
  std::memcpy(&power, &shifted, sizeof power);
  bits += power << 23;
  std::memcpy(&sum, &bits, sizeof bits);
  return sum;
}

}  // namespace

float fast_exp(float x) { return exp_inline(x); }

STEPTP_FOR_EACH_MACHINE void normalise(const float* x, const float* weight, std::size_t width, float* out) {
  float sums[kLanes] = {};
  for (std::size_t i = 0; i < width; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += x[i + lane];
  }
  const auto count = static_cast<float>(width);
  const float mean = sum_of_lanes(sums) / count;
  float squares[kLanes] = {};
  for (std::size_t i = 0; i < width; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float distance = x[i + lane] - mean;
      squares[lane] += distance * distance;
    }
  }
  const float scale = 1.0F / std::sqrt(sum_of_lanes(squares) / count + 1e-5F);
  for (std::size_t i = 0; i < width; ++i) out[i] = (x[i] - mean) * scale * weight[i];
}

STEPTP_FOR_EACH_MACHINE void gelu(float* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = x[i];
    const float twice = 1.5957691216F * (value + 0.044715F * value * value * value);
    x[i] = value / (1.0F + exp_inline(-twice));
  }
}

STEPTP_FOR_EACH_MACHINE void softmax(float* scores, std::size_t count) {
  const std::size_t whole = count / kLanes * kLanes;
  float most_of_lane[kLanes];
  std::fill(std::begin(most_of_lane), std::end(most_of_lane), scores[0]);
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      most_of_lane[lane] = std::max(most_of_lane[lane], scores[i + lane]);
    }
  }
  float most = *std::max_element(std::begin(most_of_lane), std::end(most_of_lane));
  for (std::size_t i = whole; i < count; ++i) most = std::max(most, scores[i]);
  float sums[kLanes] = {};
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float power = exp_inline(scores[i + lane] - most);
      scores[i + lane] = power;
      sums[lane] += power;
    }
  }
  for (std::size_t i = whole; i < count; ++i) {
    scores[i] = exp_inline(scores[i] - most);
    sums[i - whole] += scores[i];
  }
  const float scale = 1.0F / sum_of_lanes(sums);
  for (std::size_t i = 0; i < count; ++i) scores[i] *= scale;
}

}  // namespace steptp::tlm
