#pragma once

#include <string>
#include <vector>

#include "steptp/analysis/device.h"
#include "steptp/base/result.h"
#include "steptp/lowering/arrangement.h"

namespace steptp::cuda {

/// One __global__ function and how it is launched.
struct KernelText {
  std::string text;
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<std::int64_t, 3> block = {1, 1, 1};
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  /// Block axes along which blocks accumulate into one element: they run one after another, one launch per index, so
  /// that the result is deterministic. The index is a parameter of the kernel, behind those of the host loops.
  std::vector<Axis> launched_in_turn;
};

/// The text of a kernel. Refuses launches beyond the device and collectives that do not stand alone in their nest.
[[nodiscard]] Result<KernelText, Diagnostic> kernel_text(const lowering::Arrangement& arrangement,
                                                         const lowering::ArrangedKernel& kernel, const Device& device);

}  // namespace steptp::cuda
