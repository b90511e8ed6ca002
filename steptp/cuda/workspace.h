#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "steptp/lowering/arrangement.h"

namespace steptp::cuda {

/// Where the intermediates in `g` lie in one block of workspace.
struct Workspace {
  std::vector<std::pair<std::string, std::int64_t>> offsets;
  std::int64_t bytes = 0;
};
[[nodiscard]] Workspace workspace_of(const lowering::Arrangement& arrangement);

}  // namespace steptp::cuda
