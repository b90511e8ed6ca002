#pragma once

// Files of measurements, as `steptp search measure` writes them: what the cost model learns from.

#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/costs/training.h"

namespace steptp::costs {

/// A root with the plans of it that were timed.
struct MeasuredGroup {
  std::string key;
  std::string type;  ///< the name of its program
  std::string dtype;
  std::size_t rows = 0;
};

struct MeasuredTable {
  std::vector<MeasuredGroup> groups;
  std::vector<MeasuredCase> cases;  ///< `group` is a position in the list; those of one program are worth the same
};

/// From the lines of a file, or its bytes compressed by gzip. Rows without a time are left out; errors: id `file`, with
/// the line.
[[nodiscard]] Result<MeasuredTable, Diagnostic> read_measured_table(const std::string& path, std::string_view bytes,
                                                                    const DeviceRates& device);

}  // namespace steptp::costs
