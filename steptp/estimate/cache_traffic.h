#pragma once

#include <functional>
#include <vector>

#include "steptp/estimate/summary.h"

namespace steptp::estimation {

/// What a cache is asked about: how large it is, in what units it moves data, and which loops run at the same time
/// instead of one iteration after another.
struct CacheQuestion {
  double bytes = 0;
  double granule = 32;
  /// How many iterations of a loop run at once; 0 for loops that run one iteration after another.
  std::function<std::int64_t(const LoopSummary&)> at_once;
};

/// The bytes that come from behind a cache, for each access of each statement of a kernel, in one run through all
/// serial loops. A loop whose single iteration fits into the cache finds there what its iterations share; outside of
/// such loops everything comes again. Accesses in `l`, and shared ones unless asked for, count nothing.
[[nodiscard]] std::vector<std::vector<double>> cache_traffic(const KernelSummary& kernel, const CacheQuestion& question,
                                                             bool with_scoped);

}  // namespace steptp::estimation
