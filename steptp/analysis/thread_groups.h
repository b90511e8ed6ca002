#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/analysis/kernels.h"

namespace steptp {

inline constexpr std::int64_t kWarp = 32;

/// A part of the number of a thread along an axis: `position / stride % size`.
struct ThreadDigit {
  Axis axis = Axis::tx;
  std::int64_t stride = 1;
  std::int64_t size = 1;
};

/// How the threads of a block reduce with one equation, where that has a regular form: the number of a thread is made
/// of digits, and threads that differ in the reduced ones only form a group, which has the same elements. Each thread
/// folds what its iterations contribute to each of these elements, beginning with the identity; then the parts of a
/// group are joined, pair by pair, in a fixed order; then the results are joined to the elements. Decision 0060.
struct ThreadGroups {
  enum class Way : std::uint8_t {
    alone,   ///< a group is one thread
    warp,    ///< a group is a power-of-two part of a warp: shuffles
    warps,   ///< a group is whole warps: shuffles in each, then in the first one
    shared,  ///< a tree in shared memory
  };
  Way way = Way::alone;
  std::vector<ThreadDigit> reduced;  ///< fastest first; their mixed radix is the rank of a thread in its group
  std::vector<ThreadDigit> kept;     ///< the same of groups
  std::int64_t size = 1;             ///< threads in a group
  std::int64_t groups = 1;
  std::int64_t lane_stride = 1;         ///< of `warp`: between neighbours of a group
  std::vector<std::size_t> walked;      ///< loops (of the statement) over elements, for all threads together
  std::vector<std::size_t> held;        ///< loops over the elements that each thread has a part of at once
  std::int64_t elements = 1;            ///< how many these are
  std::vector<std::size_t> kept_loops;  ///< loops over threads that the element depends on
  std::vector<Axis> missing;            ///< thread axes without a loop: only 0 counts
  bool is_guarded = false;              ///< somebody, or everybody, may contribute nothing
  std::size_t first_loop = 0;           ///< the outermost one over a thread axis

  [[nodiscard]] std::int64_t threads() const { return size * groups; }
  /// In the cells of `shared`, so many elements at a time.
  [[nodiscard]] std::int64_t elements_at_once(std::int64_t element_bytes) const;
  /// Cells for parts, and then the words that say who contributed, in bytes of shared memory.
  [[nodiscard]] std::int64_t cell_bytes(std::int64_t element_bytes) const;
  [[nodiscard]] std::int64_t flag_bytes() const;
  /// Both: flags begin at a multiple of 8.
  [[nodiscard]] std::int64_t shared_bytes(std::int64_t element_bytes) const {
    return (cell_bytes(element_bytes) + 7) / 8 * 8 + flag_bytes();
  }
  /// Whether flags of each group say if somebody contributed to an element.
  [[nodiscard]] bool has_flags() const { return is_guarded && !has_block_flag(); }
  /// One element for the whole block: the barrier tells.
  [[nodiscard]] bool has_block_flag() const {
    return is_guarded && groups == 1 && elements == 1 && (way == Way::warps || way == Way::shared);
  }
  /// How many parts are joined at once, and then how many of what came of them.
  [[nodiscard]] std::vector<std::int64_t> joined() const;
};

/// Nothing where the equation does not accumulate over threads, or not in this form: then its threads take turns.
/// `extents` are those of the launch.
[[nodiscard]] std::optional<ThreadGroups> thread_groups(const AccessTable& table,
                                                        const std::array<std::int64_t, kAxes>& extents,
                                                        std::size_t statement);

/// Where joining so many parts begins: each of the first ones takes up the one that is so many places behind it, if
/// there is one; then half as many, down to one.
[[nodiscard]] std::int64_t first_step(std::int64_t parts);

}  // namespace steptp
