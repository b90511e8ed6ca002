#pragma once

#include <string>

#include "steptp/measure/work.h"

namespace steptp {

/// What this CPU does at most with so many threads (0: all cores), kept in the folder of compiled code (empty: nothing
/// is kept), so that it is measured once. What else the machine does can only make a measurement slower: the best
/// counts, and as long as others wanted the cores it is measured again, three times at most.
[[nodiscard]] MachinePeak kept_cpu_peak(unsigned threads, const std::string& cache);

}  // namespace steptp
