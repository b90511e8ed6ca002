#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/lowering/arrangement.h"

namespace steptp::lowering {

/// An accumulation in `g` whose elements each belong to one visit of a loop by one thread, or to one group of threads
/// that reduce: nobody has written them before. So it needs no identity in memory, and no launch that fills it: the
/// sum begins in a register and is stored once. Decision 0062.
struct OwnSum {
  /// The loop (of the statement) that makes all contributions to an element; the number of loops, where there is one
  /// contribution. Of a reduction over threads, its first loop over threads.
  std::size_t first_loop = 0;
  std::vector<std::size_t> held;  ///< loops inside of it over elements, whose sums the thread holds at once
  std::int64_t elements = 1;
};
[[nodiscard]] std::optional<OwnSum> own_sum(const Arrangement& arrangement, const ArrangedKernel& kernel,
                                            std::size_t statement);

/// Whether what a buffer in `g` begins with has to be there before the program: some accumulation may read it.
[[nodiscard]] bool needs_fill(const Arrangement& arrangement, const Buffer& buffer);

}  // namespace steptp::lowering
