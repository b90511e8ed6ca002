#pragma once

// A fold up to each place as one kernel: what `scan` makes. A row is a place in all loops but the one along which it is
// folded.

#include <cstdint>

#include "steptp/moves/builder.h"

namespace steptp {

/// How such a fold is divided.
struct ScanLayout {
  std::int64_t part = 0;  ///< places of a thread; 0: all of them, one after the other
  std::int64_t rows = 1;  ///< of a block
  bool keeps = false;     ///< by parts: what a thread reads stays in its registers

  [[nodiscard]] bool has_parts() const { return part > 0; }
};

/// The steps, for the top-level expression with that number; false where a strategy refused one.
[[nodiscard]] bool make_scan_kernel(MoveBuilder& builder, std::uint32_t expression, const ScanLayout& layout);

}  // namespace steptp
