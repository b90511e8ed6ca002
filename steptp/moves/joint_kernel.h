#pragma once

// A run of expressions as one kernel whose blocks have the loops that all of them share: what `join` makes.

#include <cstddef>
#include <cstdint>

#include "steptp/moves/builder.h"
#include "steptp/moves/joint_blocks.h"

namespace steptp {

struct JointLayout {
  std::int64_t rows = 1;      ///< iterations of the last common loop in one block
  std::int64_t threads = 32;  ///< of a block, at most
  bool is_wide = false;       ///< f16 and bf16 are folded in f32
};

/// Only the first of the common loops are left; the others are loops of each expression's own.
void keep_axes(JointBlocks& blocks, std::size_t axes);

/// The steps that make the run one kernel; false where a strategy refused one.
[[nodiscard]] bool make_joint_kernel(MoveBuilder& builder, const JointBlocks& blocks, const JointLayout& layout);

}  // namespace steptp
