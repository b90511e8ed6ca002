#include "steptp/measure/cpu_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "steptp/base/ordered_stream.h"
#include "steptp/execution/cpu_cache.h"
#include "steptp/execution/thread_team.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace steptp {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRounds = 4;
constexpr std::int64_t kSteps = 400'000;
/// Chains of operations that do not wait for each other: enough for two units of latency 4 or 5.
constexpr int kChains = 12;

double seconds_of(ThreadTeam& team, const std::function<void(std::int64_t)>& work) {
  const auto start = Clock::now();
  team.run(team.threads(), work);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Each variant does `steps` rounds of kChains fused multiply-adds and says how many floats one of them takes.
struct Arithmetic {
  int lanes;
  float (*run)(std::int64_t steps);
};

#if defined(__x86_64__)
__attribute__((target("avx512f"))) float run_512(std::int64_t steps) {
  __m512 chains[kChains];
  for (__m512& chain : chains) chain = _mm512_set1_ps(1.0F);
  const __m512 factor = _mm512_set1_ps(0.999F);
  for (std::int64_t i = 0; i < steps; ++i) {
    for (__m512& chain : chains) chain = _mm512_fmadd_ps(chain, factor, factor);
  }
  __m512 sum = chains[0];
  for (const __m512& chain : chains) sum = _mm512_add_ps(sum, chain);
  return _mm512_cvtss_f32(sum);
}
__attribute__((target("avx2,fma"))) float run_256(std::int64_t steps) {
  __m256 chains[kChains];
  for (__m256& chain : chains) chain = _mm256_set1_ps(1.0F);
  const __m256 factor = _mm256_set1_ps(0.999F);
  for (std::int64_t i = 0; i < steps; ++i) {
    for (__m256& chain : chains) chain = _mm256_fmadd_ps(chain, factor, factor);
  }
  __m256 sum = chains[0];
  for (const __m256& chain : chains) sum = _mm256_add_ps(sum, chain);
  return _mm256_cvtss_f32(sum);
}
#endif

/// Without such instructions: what the compiler makes of four floats at a time.
float run_plain(std::int64_t steps) {
  float chains[kChains][4];
  for (auto& chain : chains) std::fill(std::begin(chain), std::end(chain), 1.0F);
  for (std::int64_t i = 0; i < steps; ++i) {
    for (auto& chain : chains) {
      for (float& value : chain) value = value * 0.999F + 0.999F;
    }
  }
  float sum = 0;
  for (const auto& chain : chains) {
    for (const float value : chain) sum += value;
  }
  return sum;
}

Arithmetic widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {16, run_512};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {8, run_256};
#endif
  return {4, run_plain};
}

double flops_per_second(ThreadTeam& team) {
  const Arithmetic arithmetic = widest();
  std::vector<float> kept(team.threads());
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double seconds =
        seconds_of(team, [&](std::int64_t thread) { kept[static_cast<std::size_t>(thread)] = arithmetic.run(kSteps); });
    const double operations = 2.0 * kChains * arithmetic.lanes * static_cast<double>(kSteps) * team.threads();
    best = std::max(best, operations / seconds);
  }
  // The sums are finite whatever happens; without a look at them they would not be computed.
  for (const float sum : kept) {
    if (sum != sum) return 0;
  }
  return best;
}

double bytes_per_second(ThreadTeam& team) {
  const std::size_t bytes = std::max(2 * CpuCache::bytes(), std::size_t{32} << 20);
  const std::size_t words = bytes / sizeof(std::uint64_t) / team.threads();
  std::vector<std::uint64_t> data(words * team.threads(), 1);
  std::vector<std::uint64_t> sums(team.threads());
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double seconds = seconds_of(team, [&](std::int64_t thread) {
      const auto number = static_cast<std::size_t>(thread);
      std::uint64_t sum = 0;
      for (std::size_t i = number * words; i < (number + 1) * words; ++i) sum += data[i];
      sums[number] = sum;
    });
    best = std::max(best, static_cast<double>(data.size() * sizeof(std::uint64_t)) / seconds);
  }
  for (const std::uint64_t sum : sums) {
    if (sum != words) return 0;
  }
  return best;
}

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "this processor";
}

MachinePeak measure_cpu_peak(unsigned threads) {
  ThreadTeam team(threads == 0 ? default_jobs() : threads);
  MachinePeak out;
  out.name = processor_name() + ", " + std::to_string(team.threads()) + " threads";
  out.source = "measured";
  out.bytes_per_second = bytes_per_second(team);
  out.flops[DType::f32] = flops_per_second(team);
  out.flops[DType::f64] = out.flops[DType::f32] / 2;
  return out;
}

}  // namespace steptp
