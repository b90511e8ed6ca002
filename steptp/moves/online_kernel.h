#pragma once

// An online form as one kernel: what `online` makes. Recurrences run along one loop with a thread for each row; what
// goes on from round to round are registers.

#include <cstdint>
#include <string_view>

#include "steptp/moves/builder.h"

namespace steptp {

/// A step that makes recurrences of reductions.
struct OnlineStep {
  std::string_view strategy;
  Values values;
};

/// How the kernel is divided.
struct OnlineLayout {
  std::int64_t rows = 1;       ///< of a block
  std::int64_t following = 0;  ///< expressions behind the recurrences that the kernel has, too
};

/// The steps, from the online form of what stands at a place; false where a strategy refused one.
[[nodiscard]] bool make_online_kernel(MoveBuilder& builder, const Site& at, const OnlineStep& step,
                                      const OnlineLayout& layout);

}  // namespace steptp
