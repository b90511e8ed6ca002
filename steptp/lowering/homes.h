#pragma once

#include <vector>

#include "steptp/lowering/arrangement.h"

namespace steptp::lowering {

/// Where `s` and `l` data lives when threads and blocks run one after another, in the order of the text: inside the
/// outermost bound loops of the kernel that are around everything, as far as these are axes of the data. Its storage
/// begins anew there. Axes further in are walked several times and so need storage of their own for each index.
struct Home {
  std::size_t depth = 0;                                ///< that many outermost loops of the kernel are around it
  std::vector<std::pair<Axis, std::int64_t>> expanded;  ///< axes with the stride of each, in elements
  std::int64_t elements = 1;
};
[[nodiscard]] Home home_of(const ArrangedKernel& kernel, const Buffer& buffer);

/// Whether `l` data is written as a whole, before anybody reads it, in each iteration of the loops that all accesses
/// share, those over axes among them: nothing lives from one iteration, and so from one thread, to another, and threads
/// that run one after another can do with the storage of one.
[[nodiscard]] bool begins_anew(const AccessTable& table, const Buffer& buffer);

/// The bound loops that are around everything in a kernel, outermost first.
[[nodiscard]] std::vector<Axis> outer_axes(const ArrangedKernel& kernel);

}  // namespace steptp::lowering
