#pragma once

// Neighbouring expressions that one loop over blocks can be around: which loops of theirs are the same.

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/moves/parts.h"

namespace steptp {

/// One expression, with the loops of its header by what they are for a kernel of several.
struct JointPart {
  std::vector<std::int64_t> extents;  ///< of all loops of the header
  std::vector<std::size_t> blocks;  ///< the positions of those that all expressions have, in the same order for all
  std::vector<std::size_t> own;     ///< other loops that it writes by, in the order of the left subscripts
  std::vector<std::size_t> rest;    ///< what it folds, or does again
  bool folds = false;               ///< one equation, which accumulates over the rest
};

struct JointBlocks {
  std::uint32_t first = 0;
  std::vector<std::int64_t> extents;  ///< of the common loops, outermost dimension of the last result first
  std::vector<JointPart> parts;
  std::vector<std::string> made;  ///< tensors in g that these expressions write, in order
};

/// So many expressions from here on, with all loops that they have in common: each iteration of these reads of what the
/// expressions make only what the same iteration makes. The text says why there are none.
[[nodiscard]] Result<JointBlocks, std::string> find_joint_blocks(View& view, std::uint32_t first, std::size_t count);

}  // namespace steptp
