#pragma once

// Boxes of elements that writes fill, in each iteration of the loops that they share with a reader: the cheap way to
// see that what is read was written before. What they do not show may still be so.

#include <cstddef>
#include <optional>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/regions.h"

namespace steptp {

/// What a write fills in each iteration of the first `shared_loops` loops, in `shared_nests` nests, in coordinates
/// relative to the part of each subscript that these loops decide, the bases; hidden subscripts come first.
struct WrittenBox {
  std::vector<Index> bases;
  Box box;
};
/// Nothing where it is no box.
[[nodiscard]] std::optional<WrittenBox> written_box(const AccessTable& table, const Access& write,
                                                    std::size_t shared_loops, std::size_t shared_nests);

/// Boxes around the same bases.
struct WrittenBoxes {
  std::size_t shared_loops = 0;
  std::vector<Index> bases;
  std::vector<Box> boxes;
};
/// Of the writes of a tensor that run before a statement in every iteration of the loops that both share, at least
/// `least_shared`.
[[nodiscard]] std::vector<WrittenBoxes> written_before(const AccessTable& table, const TensorFacts& tensor,
                                                       const Statement& reader, std::size_t least_shared = 0);

/// Whether such boxes hold everything that subscripts (hidden ones first) reach while loops run over a box. The
/// reader's subscripts read no tensor.
[[nodiscard]] bool boxes_hold(const std::vector<WrittenBoxes>& written, const std::vector<Index>& subscripts,
                              const Ranges& loops);

/// Whether such boxes show that all that an access reads was written before, in iterations of `least_shared` loops.
[[nodiscard]] bool reads_what_was_written(const AccessTable& table, const TensorFacts& tensor, const Access& read,
                                          std::size_t least_shared = 0);

}  // namespace steptp
