#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/lowering/arrangement.h"

namespace steptp::lowering {

inline constexpr std::int64_t kWarp = 32;

/// Whether a node that all threads of a block come to is an item: what is below it each thread does by itself. Loops
/// over blocks, and loops and guards around the loops over threads, are walked by all threads together.
[[nodiscard]] bool is_item(const Node& node);

/// The block axes over which some statement of the kernel reduces: it is launched for one index after another, the
/// first of these axes outermost.
[[nodiscard]] std::vector<Axis> axes_in_turn(const Arrangement& arrangement, const ArrangedKernel& kernel);

/// The thread axes over which a statement reduces.
[[nodiscard]] std::vector<Axis> reduced_thread_axes(const Arrangement& arrangement, std::size_t statement);

/// A reduction over threads of the usual form, by one equation: each thread folds what its iterations contribute,
/// beginning with the identity; the parts of all threads are joined, pair by pair, in a fixed order; the result is
/// joined to the element. What is not of that form runs thread after thread.
struct ThreadReduction {
  std::vector<const Node*> around;  ///< the loops and guards around the equation, outermost first
  const Node* store = nullptr;
  std::vector<const Node*> kept;  ///< loops that the element depends on
  std::vector<Axis> axes;         ///< reduced
  std::vector<Axis> others;       ///< other thread axes: each of their threads has an element, or none
  std::vector<Axis> missing;      ///< of those, the ones without a loop: only 0 counts
  bool guarded = false;
  std::int64_t size = 1;    ///< threads that reduce into one element
  std::int64_t groups = 1;  ///< elements

  [[nodiscard]] DType dtype() const { return store->target->dtype; }
  /// Joined by warps, and then what came out of them; otherwise all at once.
  [[nodiscard]] bool in_warps() const { return others.empty() && size % kWarp == 0 && info(dtype()).bytes >= 4; }
};
[[nodiscard]] std::optional<ThreadReduction> thread_reduction(const Arrangement& arrangement,
                                                              const ArrangedKernel& kernel, const Node& item,
                                                              const std::vector<Axis>& axes);

/// Where joining so many parts begins: each of the first ones takes up the one that is so many places behind it, if
/// there is one; then half as many, down to one.
[[nodiscard]] std::int64_t first_step(std::int64_t parts);

}  // namespace steptp::lowering
