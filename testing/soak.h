#pragma once

#include <cstdint>
#include <cstdlib>

namespace steptp::testing {

/// The number of seeds of a property test, times STEPTP_SOAK where that is set.
inline std::uint64_t soaked(std::uint64_t seeds) {
  const char* factor = std::getenv("STEPTP_SOAK");
  const long long times = factor ? std::atoll(factor) : 1;
  return times > 1 ? seeds * static_cast<std::uint64_t>(times) : seeds;
}

/// The seed of a property test, another one for every STEPTP_SOAK_SEED: long runs in parts that do not repeat each
/// other.
inline std::uint64_t soak_seed(std::uint64_t seed) {
  const char* part = std::getenv("STEPTP_SOAK_SEED");
  return part ? seed + 1000 * static_cast<std::uint64_t>(std::atoll(part)) : seed;
}

}  // namespace steptp::testing
