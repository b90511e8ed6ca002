#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/analysis/thread_groups.h"
#include "steptp/lowering/arrangement.h"

namespace steptp::lowering {

/// Whether a node that all threads of a block come to is an item: what is below it each thread does by itself. Loops
/// over blocks, and loops and guards around the loops over threads, are walked by all threads together.
[[nodiscard]] bool is_item(const Node& node);

/// The block axes over which some statement of the kernel reduces: it is launched for one index after another, the
/// first of these axes outermost.
[[nodiscard]] std::vector<Axis> axes_in_turn(const Arrangement& arrangement, const ArrangedKernel& kernel);

/// The thread axes over which a statement reduces.
[[nodiscard]] std::vector<Axis> reduced_thread_axes(const Arrangement& arrangement, std::size_t statement);

/// A reduction over threads in a regular form (analysis/thread_groups.h), with the nodes that it is made of. Where
/// there is none, its threads take turns.
struct ThreadReduction {
  ThreadGroups groups;
  std::vector<const Node*> around;  ///< the loops and guards around the equation, outermost first
  const Node* store = nullptr;
  std::vector<const Node*> walked;  ///< loops over elements that all threads walk together
  std::vector<const Node*> held;    ///< loops over the elements that a thread holds
  std::vector<const Node*> fixed;   ///< loops over threads and blocks that the element may depend on

  [[nodiscard]] DType dtype() const { return store->target->dtype; }
};
[[nodiscard]] std::optional<ThreadReduction> thread_reduction(const Arrangement& arrangement,
                                                              const ArrangedKernel& kernel, const Node& item);

}  // namespace steptp::lowering
