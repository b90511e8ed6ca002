#pragma once

// What kernels of a contraction have in common, whether threads or units make the sums: the contraction and what
// follows it are cut alike and stand in the same blocks, and sums are kept in registers.

#include <string>
#include <vector>

#include "steptp/moves/tiling_kernel.h"

namespace steptp {

class ContractionKernel : protected TilingKernel {
 protected:
  ContractionKernel(MoveBuilder& builder, const TiledContraction& what, const TileSizes& sizes)
      : TilingKernel(builder, what.expression, sizes), what_(what) {}
  virtual ~ContractionKernel() = default;
  ContractionKernel(const ContractionKernel&) = delete;
  ContractionKernel& operator=(const ContractionKernel&) = delete;

  /// Rows and columns of the result are cut; the same for all expressions of the kernel.
  virtual bool cut(LoopHeader& header) = 0;
  /// The loops of an expression are put in order and bound.
  virtual bool place(LoopHeader& header, const std::vector<std::string>& roles) = 0;

  /// The contraction, with so much of the sum in a round.
  bool make_blocks(std::int64_t depth);
  /// Expressions behind the contraction are cut and bound like it, and stand in the same blocks.
  bool take_following();
  bool keep_sums();

  const TiledContraction& what_;
};

}  // namespace steptp
