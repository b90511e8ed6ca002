// CUDA text on a CPU, for tests: the threads of a block are fibers that run one after another up to their barriers, in
// one order or the other, so that a missing barrier shows in one of them. Blocks run one after another. Half types are
// rounded correctly; functions are computed wider and rounded, as the oracle does nearly always.
#pragma once

#include <ucontext.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))

struct dim3 {
  unsigned x, y, z;
  dim3(long long a = 1, long long b = 1, long long c = 1)
      : x(static_cast<unsigned>(a)), y(static_cast<unsigned>(b)), z(static_cast<unsigned>(c)) {}
};
using cudaStream_t = void*;
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
inline dim3 threadIdx, blockIdx, blockDim, gridDim;
alignas(16) inline unsigned char stp_shared[256 * 1024];

namespace emulation {

inline bool reversed = false;  ///< the order in which threads run
inline bool diverged = false;  ///< some threads ended while others wait at a barrier
inline ucontext_t scheduler;
inline ucontext_t* running = nullptr;
inline int any_now = 0;
inline int any_before = 0;
inline const std::function<void()>* body = nullptr;

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  bool finished = false;
};
inline std::vector<Fiber>& fibers() {
  static std::vector<Fiber> all(1024);
  return all;
}
inline Fiber* current = nullptr;

inline void enter() {
  (*body)();
  current->finished = true;
  swapcontext(&current->context, &scheduler);
}
inline int wait(int value) {
  any_now |= value;
  swapcontext(&current->context, &scheduler);
  return any_before;
}

inline void run_block(unsigned threads) {
  constexpr std::size_t kStack = 256 * 1024;
  for (unsigned t = 0; t < threads; ++t) {
    Fiber& fiber = fibers()[t];
    if (!fiber.stack) fiber.stack.reset(new char[kStack]);
    fiber.finished = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, enter, 0);
  }
  unsigned finished = 0;
  while (finished < threads && !diverged) {
    unsigned ended = 0;
    for (unsigned i = 0; i < threads; ++i) {
      const unsigned t = reversed ? threads - 1 - i : i;
      Fiber& fiber = fibers()[t];
      if (fiber.finished) continue;
      threadIdx.x = t % blockDim.x;
      threadIdx.y = t / blockDim.x % blockDim.y;
      threadIdx.z = t / blockDim.x / blockDim.y;
      current = &fiber;
      swapcontext(&scheduler, &fiber.context);
      ended += fiber.finished ? 1 : 0;
    }
    finished += ended;
    diverged = diverged || (ended != 0 && finished < threads);
    any_before = any_now;
    any_now = 0;
  }
}

template <typename Kernel>
void launch(dim3 grid, dim3 block, Kernel kernel) {
  const std::function<void()> function = kernel;
  body = &function;
  gridDim = grid;
  blockDim = block;
  for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z) {
    for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y) {
      for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
        std::memset(stp_shared, 0xee, sizeof stp_shared);
        run_block(block.x * block.y * block.z);
      }
    }
  }
}

}  // namespace emulation

#define STP_LAUNCH(kernel, grid, block, shared, stream, ...) \
  emulation::launch(grid, block, [&] { kernel(__VA_ARGS__); })
inline void __syncthreads() { emulation::wait(0); }
inline int __syncthreads_or(int value) { return emulation::wait(value != 0); }
template <typename Kernel>
void cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) {}
inline int cudaGetLastError() { return emulation::diverged ? 1 : 0; }

inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
inline float rsqrtf(float x) { return static_cast<float>(1.0L / std::sqrt(static_cast<long double>(x))); }
inline double rsqrt(double x) { return static_cast<double>(1.0L / std::sqrt(static_cast<long double>(x))); }

namespace emulation {
#define STP_EMULATE(name)                                                                          \
  inline float name##_f(float x) { return static_cast<float>(std::name(static_cast<double>(x))); } \
  inline double name##_d(double x) { return static_cast<double>(std::name(static_cast<long double>(x))); }
STP_EMULATE(exp)
STP_EMULATE(log)
STP_EMULATE(erf)
STP_EMULATE(tanh)
STP_EMULATE(sin)
STP_EMULATE(cos)
inline float pow_f(float a, float b) {
  return static_cast<float>(std::pow(static_cast<double>(a), static_cast<double>(b)));
}
inline double pow_d(double a, double b) {
  return static_cast<double>(std::pow(static_cast<long double>(a), static_cast<long double>(b)));
}
/// +0 is greater than -0; of a number and NaN the number.
template <typename T>
T greatest(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename T>
T least(T a, T b) {
  return -greatest(-a, -b);
}
}  // namespace emulation
#define expf emulation::exp_f
#define exp emulation::exp_d
#define logf emulation::log_f
#define log emulation::log_d
#define erff emulation::erf_f
#define erf emulation::erf_d
#define tanhf emulation::tanh_f
#define tanh emulation::tanh_d
#define sinf emulation::sin_f
#define sin emulation::sin_d
#define cosf emulation::cos_f
#define cos emulation::cos_d
#define powf emulation::pow_f
#define pow emulation::pow_d
#define fmaxf emulation::greatest<float>
#define fminf emulation::least<float>
#define fmax emulation::greatest<double>
#define fmin emulation::least<double>
