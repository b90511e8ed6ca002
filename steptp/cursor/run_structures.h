#pragma once

// The structures of one run of expressions: what its program has places for, with what strategies accept.

#include <memory>
#include <vector>

#include "steptp/cursor/structure.h"
#include "steptp/planner/proposals.h"

namespace steptp::cursor {

/// A run as a program of its own.
struct Run {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::optional<Program> section;  ///< nothing where the run cannot be cut out
};

/// All that can be made of it, by kind. `proposals` are those that begin with its first expression and take all of it.
/// Choices that strategies treat alike are made once, so what is offered is what really is made and passes `check`.
[[nodiscard]] std::vector<std::unique_ptr<Structure>> structures_of(const Run& run,
                                                                    const std::vector<Proposal>& proposals,
                                                                    const PlanTarget& target);

}  // namespace steptp::cursor
