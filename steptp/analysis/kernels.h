#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"

namespace steptp {

/// One kernel: what is launched at once, for each iteration of its host loops.
struct KernelFacts {
  Kernel kernel;
  std::vector<std::size_t> statements;  ///< in the order of the text
  /// The launch dimension along each axis: the largest extent of the loops over it, 1 where there is none.
  std::array<std::int64_t, kAxes> extents = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::array<std::optional<Site>, kAxes> widest;  ///< the loop that has it
  std::vector<std::string> shared;                ///< tensors that live in `s`, sorted
  std::vector<std::string> local;                 ///< in `l`
  std::vector<std::string> fragments;             ///< and in `f`
};
/// All kernels, in the order of the text.
[[nodiscard]] std::vector<KernelFacts> collect_kernels(const AccessTable& table);

}  // namespace steptp
