#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "steptp/analysis/interval.h"
#include "steptp/analysis/kernels.h"
#include "steptp/analysis/shapes.h"

namespace steptp {

/// Where the cells of reductions over threads lie (ThreadGroups::cell_bytes): a name that no tensor has.
inline constexpr const char* kReductionCells = "stp_partial";

/// The name of the flags that say which elements of a tensor are defined, where several operators accumulate into it.
[[nodiscard]] inline std::string flags_of(const std::string& tensor) { return tensor + "_defined"; }

/// Where the data of a block lies in its shared memory. Tensors in `s` that are never live at the same time share bytes
/// (decision 0061): a barrier must stand between the last access to one and the first to the other.
struct SharedLayout {
  struct Place {
    Wide offset = 0;  ///< a multiple of 16
    Wide bytes = 0;   ///< without what fills it up to a multiple of 16
    /// It begins with its identity, or with flags that say that nothing is defined: it is live when the block starts.
    bool is_filled = false;
  };
  /// All tensors in `s` of the kernel, their flags (flags_of), and kReductionCells where they are needed.
  std::map<std::string, Place> places;
  Wide bytes = 0;          ///< of all together
  bool is_shared = false;  ///< some bytes belong to several

  [[nodiscard]] bool overlap(const std::string& first, const std::string& second) const;
};

/// The only table of how shared memory is counted: `check` and CUDA text use it.
[[nodiscard]] SharedLayout shared_layout(const AccessTable& table, const std::map<std::string, InferredShape>& shapes,
                                         const KernelFacts& kernel);

}  // namespace steptp
