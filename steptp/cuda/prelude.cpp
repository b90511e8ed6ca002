// The helper functions that kernels call, as text. Only those that a program uses are printed, in a fixed order, so
// that the same program gives the same text.
#include "steptp/cuda/prelude.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "steptp/cuda/prelude_parts.h"

namespace steptp::cuda {

namespace {

/// Half types compute in float and round once: with 24 digits between, 2p+2 <= 24 for p = 11 and 8 suffices.
const Part kParts[] = {
    {{"__half"}, "#include <cuda_fp16.h>\n"},
    {{"__nv_bfloat16"}, "#include <cuda_bf16.h>\n"},
    {{"STP_INFINITY"},
     R"(#define STP_INFINITY_F __int_as_float(0x7f800000)
#define STP_INFINITY __longlong_as_double(0x7ff0000000000000LL)
)"},
    {{"stp_choose"},
     R"(/// Both values are there before one is chosen: no branch.
template <typename T>
static __device__ __forceinline__ T stp_choose(bool condition, T yes, T no) {
  return condition ? yes : no;
}
)"},
    {{"stp_vector"},
     R"(/// Neighbouring elements that are loaded and stored at once.
template <typename T, int N>
struct __align__(sizeof(T) * N) stp_vector {
  T at[N];
};
)"},
    {{"__half", "__nv_bfloat16"},
     R"(template <typename T>
static __host__ __device__ __forceinline__ T stp_from_float(float x);
template <typename T>
static __device__ __forceinline__ T stp_to_half(float x);
template <typename T>
static __device__ __forceinline__ T stp_to_half(double x);
template <typename T>
static __device__ __forceinline__ T stp_to_half(long long x);
)"},
    {{"stp_add", "stp_sub", "stp_mul", "stp_integer_power", "stp_abs"},
     R"(/// Integers wrap in their own type; bool is `!= 0` of the integer result.
template <typename T>
static __device__ __forceinline__ T stp_add(T a, T b) {
  return (T)((unsigned long long)a + (unsigned long long)b);
}
template <typename T>
static __device__ __forceinline__ T stp_sub(T a, T b) {
  return (T)((unsigned long long)a - (unsigned long long)b);
}
template <typename T>
static __device__ __forceinline__ T stp_mul(T a, T b) {
  return (T)((unsigned long long)a * (unsigned long long)b);
}
template <typename T>
static __device__ __forceinline__ T stp_abs(T a) {
  return a < (T)0 ? stp_sub<T>((T)0, a) : a;
}
template <typename T>
static __device__ __forceinline__ T stp_integer_power(T base, unsigned long long exponent) {
  unsigned long long result = 1, factor = (unsigned long long)base;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= factor;
    factor *= factor;
  }
  return (T)result;
}
)"},
    {{"stp_floor_div", "stp_floor_mod"},
     R"(/// Quotient and remainder floor. A program that `check` accepts divides no integer by zero.
template <typename T>
static __host__ __device__ __forceinline__ T stp_floor_div(T a, T b) {
  if (b == (T)0) return (T)0;
  if ((long long)b == -1) return (T)(0ULL - (unsigned long long)a);
  return (T)(a / b - (a % b != 0 && (a < (T)0) != (b < (T)0) ? 1 : 0));
}
template <typename T>
static __host__ __device__ __forceinline__ T stp_floor_mod(T a, T b) {
  if (b == (T)0 || (long long)b == -1) return (T)0;
  const T rest = (T)(a % b);
  return rest != (T)0 && (rest < (T)0) != (b < (T)0) ? (T)(rest + b) : rest;
}
template <>
__host__ __device__ __forceinline__ double stp_floor_div<double>(double a, double b) {
  if (a != a || b != b || a - a != 0.0) return a - a + (b - b);
  if (b == 0.0) return a / b;
  const double quotient = a / b;
  if (a == 0.0) return quotient;
  const bool negative = (a < 0.0) != (b < 0.0);
  if (quotient == 0.0) return negative ? -1.0 : 0.0;
  const double below = floor(quotient);
  if (quotient != below) return below;
  const double rest = fma(-quotient, b, a);
  return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? below - 1.0 : below;
}
template <>
__host__ __device__ __forceinline__ double stp_floor_mod<double>(double a, double b) {
  const double rest = fmod(a, b);
  if (rest == 0.0) return copysign(0.0, b);
  return (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}
template <>
__host__ __device__ __forceinline__ float stp_floor_div<float>(float a, float b) {
  return (float)stp_floor_div<double>(a, b);
}
template <>
__host__ __device__ __forceinline__ float stp_floor_mod<float>(float a, float b) {
  return (float)stp_floor_mod<double>(a, b);
}
)"},
    {{"stp_max", "stp_min"},
     R"(/// Of a number and NaN the number; +0 is greater than -0.
template <typename T>
static __device__ __forceinline__ T stp_max(T a, T b) {
  return a > b ? a : b;
}
template <typename T>
static __device__ __forceinline__ T stp_min(T a, T b) {
  return a < b ? a : b;
}
template <>
__device__ __forceinline__ float stp_max<float>(float a, float b) {
  return fmaxf(a, b);
}
template <>
__device__ __forceinline__ float stp_min<float>(float a, float b) {
  return fminf(a, b);
}
template <>
__device__ __forceinline__ double stp_max<double>(double a, double b) {
  return fmax(a, b);
}
template <>
__device__ __forceinline__ double stp_min<double>(double a, double b) {
  return fmin(a, b);
}
)"},
    {{"stp_pow"},
     R"(template <typename T>
static __device__ __forceinline__ T stp_pow(T a, T b);
template <>
__device__ __forceinline__ float stp_pow<float>(float a, float b) {
  return powf(a, b);
}
template <>
__device__ __forceinline__ double stp_pow<double>(double a, double b) {
  return pow(a, b);
}
)"},
    {{"stp_square", "stp_cube"},
     R"(template <typename T>
static __device__ __forceinline__ T stp_square(T a) {
  return a * a;
}
template <typename T>
static __device__ __forceinline__ T stp_cube(T a) {
  return a * a * a;
}
)"},
    {{"stp_div"},
     R"(template <typename T>
static __device__ __forceinline__ T stp_div(T a, T b);
)"},
    {{"stp_to_integer"},
     R"(/// Truncates and saturates; NaN gives 0.
template <typename T>
static __device__ __forceinline__ T stp_to_integer(double x) {
  const bool is_signed = (T)-1 < (T)0;
  const double above = is_signed ? (double)(1ULL << (sizeof(T) * 8 - 1)) : (double)(1ULL << (sizeof(T) * 8 % 64));
  const double below = is_signed ? -above : 0.0;
  if (x != x) return (T)0;
  if (x <= below) return is_signed ? (T)(1ULL << (sizeof(T) * 8 - 1)) : (T)0;
  if (x >= above) return is_signed ? (T)((1ULL << (sizeof(T) * 8 - 1)) - 1) : (T)-1;
  return (T)(long long)x;
}
)"},
};

/// The functions of one half type, by its spelling in the headers of CUDA.
std::string half_part(const std::string& type, const std::string& code, const std::string& text) {
  std::string out;
  const auto uses = [&text](std::string_view word) { return text.find(word) != std::string::npos; };
  const auto inline_function = [&out](const std::string& head, const std::string& body) {
    out += head + " {\n  return " + body + ";\n}\n";
  };
  const std::string device = "__device__ __forceinline__ ";
  // Quotients and remainders are for the host's loops too, in any type.
  const std::string anywhere = "__host__ __device__ __forceinline__ ";
  inline_function("static " + anywhere + "float stp_to_float(" + type + " x)", "__" + code + "2float(x)");
  inline_function("template <>\n" + anywhere + type + " stp_from_float<" + type + ">(float x)",
                  "__float2" + code + "_rn(x)");
  inline_function("template <>\n" + device + type + " stp_to_half<" + type + ">(float x)",
                  "__float2" + code + "_rn(x)");
  inline_function("template <>\n" + device + type + " stp_to_half<" + type + ">(double x)", "__double2" + code + "(x)");
  inline_function("template <>\n" + device + type + " stp_to_half<" + type + ">(long long x)",
                  "__ll2" + code + "_rn(x)");
  const auto binary = [&](const std::string& name, const std::string& body) {
    if (!uses(name)) return;
    inline_function("template <>\n" + device + type + " " + name + "<" + type + ">(" + type + " a, " + type + " b)",
                    "stp_from_float<" + type + ">(" + body + ")");
  };
  binary("stp_add", "stp_to_float(a) + stp_to_float(b)");
  binary("stp_sub", "stp_to_float(a) - stp_to_float(b)");
  binary("stp_mul", "stp_to_float(a) * stp_to_float(b)");
  binary("stp_div", "stp_to_float(a) / stp_to_float(b)");
  binary("stp_floor_div", "stp_floor_div<float>(stp_to_float(a), stp_to_float(b))");
  binary("stp_floor_mod", "stp_floor_mod<float>(stp_to_float(a), stp_to_float(b))");
  binary("stp_max", "fmaxf(stp_to_float(a), stp_to_float(b))");
  binary("stp_min", "fminf(stp_to_float(a), stp_to_float(b))");
  const auto unary = [&](const std::string& name, const std::string& body) {
    if (!uses(name)) return;
    inline_function("template <>\n" + device + type + " " + name + "<" + type + ">(" + type + " a)",
                    "stp_from_float<" + type + ">(" + body + ")");
  };
  unary("stp_square", "stp_square<float>(stp_to_float(a))");
  unary("stp_cube", "stp_cube<float>(stp_to_float(a))");
  binary("stp_pow", "powf(stp_to_float(a), stp_to_float(b))");
  return out;
}

}  // namespace

std::string prelude_for(const std::string& kernels) {
  const auto uses = [&kernels](std::string_view word) { return kernels.find(word) != std::string::npos; };
  std::string out;
  const auto add = [&](const Part& part) {
    if (std::any_of(part.words.begin(), part.words.end(), uses)) out += part.text;
  };
  std::for_each(std::begin(kParts), std::end(kParts), add);
  std::for_each(matrix_parts().begin(), matrix_parts().end(), add);
  if (uses("__half")) out += half_part("__half", "half", kernels);
  if (uses("__nv_bfloat16")) out += half_part("__nv_bfloat16", "bfloat16", kernels);
  return out;
}

}  // namespace steptp::cuda
