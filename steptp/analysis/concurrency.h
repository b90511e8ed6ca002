#pragma once

#include <cstdint>
#include <vector>

#include "steptp/analysis/coincidence.h"
#include "steptp/analysis/instances.h"

namespace steptp {

/// A way in which instances of two statements run at the same time (docs/language.md R10, R11):
///   iterations  different iterations of a P or V loop around both, in one execution of that loop;
///   threads     different threads of one block, in one round of the block-level loops around both, where no barrier
///               can stand between: inside one item of a block-level body;
///   blocks      different blocks of one launch, whatever the loops around do.
struct Concurrency {
  enum class Kind : std::uint8_t { iterations, threads, blocks };
  Kind kind = Kind::iterations;
  std::size_t loop = 0;          ///< iterations: the position of the loop, which both share
  std::size_t equal_prefix = 0;  ///< that many of the shared loops are in the same iteration
};

/// All ways for the two statements, which may be one. Loops of one iteration count for nothing.
[[nodiscard]] std::vector<Concurrency> concurrency_of(const Statement& first, const Statement& second);

/// The loops of two statements in pairs, those known to be in the same iteration marked: outer loops, and the blocks of
/// two threads of one block.
[[nodiscard]] std::vector<LoopPair> pair_loops(const Statement& first, const Statement& second,
                                               const Concurrency& concurrency);
/// Whether the pair is one of those of which at least one is in different iterations.
[[nodiscard]] bool may_differ(const Statement& first, const LoopPair& pair, const Concurrency& concurrency);

/// The instances run at the same time in that way. `only`, where it is not negative, is the position of the outermost
/// loop of the first statement in which they differ.
void require_concurrent(IntegerSet& set, const Statement& first, const Instance& first_instance,
                        const Statement& second, const Instance& second_instance, const Concurrency& concurrency,
                        std::int64_t only = -1);

/// Where an instance runs along an axis of its kernel: 0 where its statement has no loop over it.
[[nodiscard]] Linear axis_value(const Statement& statement, const Instance& instance, Axis axis);

/// The position of the first thread loop among the first `limit` loops; `limit` where there is none.
[[nodiscard]] std::size_t first_thread_loop(const Statement& statement, std::size_t limit);

}  // namespace steptp
