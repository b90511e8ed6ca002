#pragma once

#include "steptp/estimate/summary.h"

namespace steptp::estimation {

/// What an operation asks of a multiprocessor, for each of its threads: instructions, and the use of units.
struct GpuCost {
  double issues = 1;
  double f32 = 0;
  double f64 = 0;
  double converts = 0;
  double special = 0;
  double cycles = 4;  ///< until its result can be used
};

/// Steps of CUDA's functions, counted in the code that nvcc makes of them.
[[nodiscard]] GpuCost cost_of(const OperationSummary& operation);

}  // namespace steptp::estimation
