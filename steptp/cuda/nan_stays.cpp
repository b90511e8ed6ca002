#include "steptp/cuda/nan_stays.h"

#include <algorithm>
#include <string_view>

#include "steptp/base/text.h"

namespace steptp::cuda {

namespace {

/// The functions that max and min of floats end in, as ones that give NaN where either is NaN. They stand behind the
/// headers, which have their own uses for these names, and before the first use.
constexpr std::string_view kNanStays = R"(
static __device__ __forceinline__ float stp_nan_max(float a, float b) {
  return a != a || b != b ? a + b : fmaxf(a, b);
}
static __device__ __forceinline__ float stp_nan_min(float a, float b) {
  return a != a || b != b ? a + b : fminf(a, b);
}
static __device__ __forceinline__ double stp_nan_max(double a, double b) {
  return a != a || b != b ? a + b : fmax(a, b);
}
static __device__ __forceinline__ double stp_nan_min(double a, double b) {
  return a != a || b != b ? a + b : fmin(a, b);
}
#undef fmaxf
#undef fminf
#undef fmax
#undef fmin
#define fmaxf stp_nan_max
#define fminf stp_nan_min
#define fmax stp_nan_max
#define fmin stp_nan_min
)";

}  // namespace

std::string with_nan_kept(const std::string& text) {
  std::size_t use = std::string::npos;
  for (const std::string_view name : {"fmaxf(", "fminf(", "fmax(", "fmin("}) use = std::min(use, text.find(name));
  if (use == std::string::npos) return text;
  const std::size_t last = text.rfind("#include", use);
  const std::size_t begin = last == std::string::npos ? 0 : text.find('\n', last) + 1;
  return concat(text.substr(0, begin), kNanStays, text.substr(begin));
}

}  // namespace steptp::cuda
