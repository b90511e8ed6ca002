#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/lowering/arrangement.h"

namespace steptp::lowering {

/// What a serial loop may copy while earlier rounds are still worked on (docs/language.md R21): into tensors with a
/// depth whose rounds are those of this loop, by items that do nothing else and read nothing that the kernel writes.
struct RunAhead {
  std::int64_t depth = 2;            ///< so many rounds are under way at most: the least depth of the tensors
  std::vector<std::string> tensors;  ///< sorted
  std::vector<bool> is_copy;         ///< of the nodes in the loop's body
};
/// Nothing where no tensor's copies can run ahead.
[[nodiscard]] std::optional<RunAhead> run_ahead(const Arrangement& arrangement, const ArrangedKernel& kernel,
                                                const Node& loop);

}  // namespace steptp::lowering
