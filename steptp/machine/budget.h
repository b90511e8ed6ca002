#pragma once

#include <atomic>
#include <cstdint>

#include "steptp/arithmetic/failure.h"

namespace steptp::certify {

/// What may be spent; counted down by all machines that share it.
struct Budget {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  const std::atomic<bool>* stop = nullptr;  ///< raised from outside: no more is wanted

  /// Throws Failure (operations) where there is not enough left.
  void spend(std::uint64_t wanted) {
    if (operations < wanted) fail(FailureKind::operations, "the budget of operations is spent");
    operations -= wanted;
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
      fail(FailureKind::operations, "stopped from outside");
    }
  }
};

}  // namespace steptp::certify
