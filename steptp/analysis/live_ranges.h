#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "steptp/analysis/accesses.h"

namespace steptp {

/// When a tensor holds something that is still needed, in numbers of statements in textual order, both included.
struct LiveRange {
  std::size_t first = 0;
  std::size_t last = 0;
  bool from_start = false;  ///< an input, a constant or a parameter
  bool to_end = false;      ///< an output

  [[nodiscard]] bool overlaps(const LiveRange& other) const { return first <= other.last && other.first <= last; }
};

/// The live ranges of all tensors that are touched: from the first write to the last read. Where a read in a loop
/// stands before a write in the same loop, the value may come from the round before, so the range is the whole loop. A
/// statement reads before it writes. Whether elements really pass around a loop is not looked at: a range may be too
/// long, never too short.
[[nodiscard]] std::map<std::string, LiveRange> live_ranges(const AccessTable& table);

}  // namespace steptp
