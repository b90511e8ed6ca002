#pragma once

// What cache_read_write makes in a copy, and whether the body of the level makes all of it.

#include <optional>
#include <vector>

#include "steptp/strategies/caching.h"

namespace steptp {

/// What is to be cached, and the accesses in the body.
struct WriteTarget {
  const TensorFacts* tensor = nullptr;
  std::vector<const Access*> accesses;
  std::vector<const Statement*> statements;  ///< of the accesses
  CacheLevel level;
  Footprint footprint;
};

[[nodiscard]] Result<WriteTarget, Refusal> find_write_target(View& view, const CacheRequest& request);

/// How the copy of an accumulator starts.
struct WriteStart {
  bool needs_identity = false;     ///< the body runs several times in the life of the copy
  std::optional<ArithmeticOp> op;  ///< set where it starts from nothing
};

/// Everything that the body reads of the tensor it has made itself; an accumulator may also start from nothing.
[[nodiscard]] Result<WriteStart, Refusal> look_at_reads(View& view, const CacheRequest& request,
                                                        const WriteTarget& target);

}  // namespace steptp
