#pragma once

#include <cstdint>

#include "steptp/base/hash.h"
#include "steptp/oracle/npy.h"

namespace steptp {

/// A tensor in a few numbers. Minimum, maximum and mean are of the finite elements, 0 where there are none; the mean is
/// a sum in f64 in the order of the elements.
struct OutputStatistics {
  Hash checksum = 0;  ///< of dtype, shape and bytes; the same on every machine
  std::uint64_t count = 0;
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;
  double least = 0;
  double greatest = 0;
  double mean = 0;
};

[[nodiscard]] OutputStatistics statistics_of(const Array& tensor);

}  // namespace steptp
