#include "steptp/execution/cpu_cache.h"

#include <unistd.h>

#include <algorithm>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace steptp {

namespace {
constexpr std::size_t kLine = 64;
constexpr std::size_t kGuess = std::size_t{32} << 20;
}  // namespace

std::size_t CpuCache::bytes() {
  const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const long level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  const long known = std::max(level3, level2);
  return known > 0 ? static_cast<std::size_t>(known) : kGuess;
}

void CpuCache::evict(const std::vector<std::pair<const void*, std::size_t>>& parts) {
#if defined(__x86_64__)
  std::size_t sum = 0;
  for (const auto& [begin, size] : parts) sum += size;
  if (sum <= 2 * bytes()) {
    for (const auto& [begin, size] : parts) {
      for (std::size_t at = 0; at < size; at += kLine) _mm_clflush(static_cast<const char*>(begin) + at);
    }
    _mm_mfence();
    return;
  }
#endif
  if (other_.empty()) other_.resize(2 * bytes() / sizeof(std::size_t));
  for (std::size_t at = 0; at < other_.size(); at += kLine / sizeof(std::size_t)) ++other_[at];
}

}  // namespace steptp
