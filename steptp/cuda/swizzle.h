#pragma once

#include <map>
#include <string>

#include "steptp/lowering/arrangement.h"

namespace steptp::cuda {

/// Which bits of an element's number are exclusive-ored to others (the prelude's stp_swizzled).
struct Swizzle {
  int bits = 0;
  int row_bits = 0;  ///< a row has 2^row_bits elements
  int run_bits = 0;  ///< a run that stays together has 2^run_bits elements
  /// Not zero: a row has 2^panel_bits elements, which lie in panels of 64 columns, one behind the other. Runs are
  /// exchanged inside of a panel.
  int panel_bits = 0;
};

/// For the tensors in shared memory that are factors of contractions, where their rows are powers of two. All accesses
/// to a tensor go through its swizzle, so that nobody else knows of it.
[[nodiscard]] std::map<std::string, Swizzle> swizzles_of(const lowering::Arrangement& arrangement,
                                                         const lowering::ArrangedKernel& kernel);

}  // namespace steptp::cuda
