// CUDA text on a CPU, for tests: the threads of a block are fibers that run one after another up to their barriers,
// warp after warp, in one order or the other, so that a missing barrier shows in one of them. Blocks run one after
// another. Half types are rounded correctly; functions are computed wider and rounded, as the oracle does nearly
// always.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define STP_EMULATION
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
inline bool diverged = false;  ///< threads wait for others that do not come, or an instruction is misused
inline ucontext_t scheduler;
inline int any_now = 0;
inline int any_before = 0;
inline const std::function<void()>* body = nullptr;
constexpr unsigned kWarp = 32;

/// A copy that is under way; without a source it writes zeros.
struct Copy {
  void* to;
  const void* from;
  unsigned bytes;
  unsigned group;
};
enum class State { runs, waits_for_block, waits_for_warp, finished };
struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  State state = State::runs;
  unsigned thread = 0;
  alignas(8) unsigned char slot[8];  ///< what it gives to others of its warp
  const void* meeting = nullptr;     ///< what it came to its warp for
  std::vector<Copy> copies;
  unsigned groups = 0;  ///< of copies, which are closed
};
inline std::vector<Fiber>& fibers() {
  static std::vector<Fiber> all(1024);
  return all;
}
inline Fiber* current = nullptr;

inline void enter() {
  (*body)();
  current->state = State::finished;
  swapcontext(&current->context, &scheduler);
}
inline void pause(State state) {
  current->state = state;
  swapcontext(&current->context, &scheduler);
}
inline int wait(int value) {
  any_now |= value;
  pause(State::waits_for_block);
  return any_before;
}
template <typename T>
T shuffle_down(T value, unsigned distance) {
  const unsigned thread = current->thread;
  std::memcpy(current->slot, &value, sizeof value);
  pause(State::waits_for_warp);
  const unsigned other = thread + distance;
  if (other / kWarp == thread / kWarp) std::memcpy(&value, fibers()[other].slot, sizeof value);
  pause(State::waits_for_warp);
  return value;
}

/// Whether all threads from `begin` on wait in this way, and at least one does; they run again.
inline bool release(unsigned begin, unsigned end, State state) {
  for (unsigned t = begin; t < end; ++t) {
    if (fibers()[t].state != state) return false;
  }
  for (unsigned t = begin; t < end; ++t) fibers()[t].state = State::runs;
  return true;
}

inline void start(Fiber& fiber, unsigned thread) {
  constexpr std::size_t kStack = 256 * 1024;
  if (!fiber.stack) fiber.stack.reset(new char[kStack]);
  fiber.state = State::runs;
  fiber.thread = thread;
  fiber.copies.clear();
  fiber.groups = 0;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStack;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, enter, 0);
}

/// The threads of a warp one after another, as far as they come without the others of the block.
inline void run_warp(unsigned begin, unsigned end) {
  do {
    for (unsigned i = begin; i < end; ++i) {
      const unsigned t = reversed ? begin + end - 1 - i : i;
      Fiber& fiber = fibers()[t];
      if (fiber.state != State::runs) continue;
      threadIdx.x = t % blockDim.x;
      threadIdx.y = t / blockDim.x % blockDim.y;
      threadIdx.z = t / blockDim.x / blockDim.y;
      current = &fiber;
      swapcontext(&scheduler, &fiber.context);
    }
  } while (!diverged && release(begin, end, State::waits_for_warp));
}

inline void run_block(unsigned threads) {
  for (unsigned t = 0; t < threads; ++t) start(fibers()[t], t);
  const unsigned warps = (threads + kWarp - 1) / kWarp;
  while (!diverged) {
    for (unsigned i = 0; i < warps && !diverged; ++i) {
      const unsigned begin = (reversed ? warps - 1 - i : i) * kWarp;
      run_warp(begin, std::min(begin + kWarp, threads));
    }
    if (!diverged && release(0, threads, State::waits_for_block)) {
      any_before = any_now;
      any_now = 0;
      continue;
    }
    for (unsigned t = 0; t < threads; ++t) diverged = diverged || fibers()[t].state != State::finished;
    return;
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

#include <cuda_matrix.h>

#define STP_LAUNCH(kernel, grid, block, shared, stream, ...) \
  emulation::launch(grid, block, [&] { kernel(__VA_ARGS__); })
inline void __syncthreads() { emulation::wait(0); }
inline int __syncthreads_or(int value) { return emulation::wait(value != 0); }
template <typename T>
T __shfl_down_sync(unsigned, T value, unsigned distance) {
  return emulation::shuffle_down(value, distance);
}
template <typename Kernel>
void cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) {}
inline int cudaGetLastError() { return emulation::diverged ? 1 : 0; }

// What a main() calls besides; memory of the device is memory.
using cudaError_t = int;
using cudaEvent_t = int;
enum { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline int cudaMalloc(void** pointer, std::size_t bytes) {
  *pointer = std::aligned_alloc(256, (bytes + 256) / 256 * 256);
  return *pointer ? cudaSuccess : 1;
}
inline int cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}
inline int cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline int cudaDeviceSynchronize() { return cudaGetLastError(); }
inline const char* cudaGetErrorString(int) { return "threads part at a barrier"; }
inline void cudaEventCreate(cudaEvent_t*) {}
inline void cudaEventRecord(cudaEvent_t) {}
inline int cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
inline void cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) { *milliseconds = 1; }

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
