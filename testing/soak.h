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

}  // namespace steptp::testing
