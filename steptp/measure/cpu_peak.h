#pragma once

#include <string>

#include "steptp/measure/work.h"

namespace steptp {

/// What this machine reads from memory and computes at most with so many threads (0: all cores), measured in a tenth of
/// a second: the best of several rounds.
[[nodiscard]] MachinePeak measure_cpu_peak(unsigned threads);

/// As the system calls it.
[[nodiscard]] std::string processor_name();

}  // namespace steptp
