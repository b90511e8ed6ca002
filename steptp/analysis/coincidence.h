#pragma once

#include <vector>

#include "steptp/analysis/accesses.h"

namespace steptp {

/// A loop around one statement and a loop around another that stand for the same thing: the same loop, or loops over
/// one hardware axis. By their positions in Statement::loops.
struct LoopPair {
  std::size_t first = 0;
  std::size_t second = 0;
  bool equal = false;  ///< both instances are in the same iteration
};

/// The loops that two statements share, then, where both belong to one kernel, those over one hardware axis that they
/// have apart. Of the shared loops, the first `equal_prefix` are in the same iteration.
[[nodiscard]] std::vector<LoopPair> pair_loops(const Statement& first, const Statement& second,
                                               std::size_t equal_prefix);

/// What follows, without a solver, from two accesses touching one element: which loops must be in the same iteration.
/// A subscript such as 32*bx+tx with tx<32 has one value per (bx, tx): where it is equal, bx and tx are.
struct Coincidence {
  bool impossible = false;      ///< no two instances touch one element
  std::vector<LoopPair> pairs;  ///< as given, with `equal` set where it follows
};

/// Sound, not complete, and takes about a microsecond: most pairs of accesses are decided here. Guards and conditions
/// play no part.
[[nodiscard]] Coincidence coincide(const AccessTable& table, const Access& first, const Access& second,
                                   std::vector<LoopPair> pairs);

/// Whether both surely touch one element in their first iteration, without guards and conditions: most that meet do,
/// and it takes no question.
[[nodiscard]] bool meet_at_origin(const AccessTable& table, const Access& first, const Access& second);

}  // namespace steptp
