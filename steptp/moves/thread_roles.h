#pragma once

// Which iterations of loops become threads, which blocks, and which stay inside.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace steptp {

/// What becomes of one loop, or of one half of it.
struct ThreadRole {
  enum class Kind : std::uint8_t { block, thread, inside };
  Kind kind = Kind::inside;
  std::int64_t extent = 1;
};

/// A loop whose index is in a left subscript, so that its iterations write different elements: how many of them are
/// threads.
struct Dimension {
  std::int64_t extent = 1;
  std::int64_t threads = 1;  ///< 1: none of it is

  [[nodiscard]] bool is_split() const { return threads > 1 && threads < extent; }
};

/// Threads for loops of these extents, which are given outermost first: inner loops have theirs before outer ones, as
/// long as a block has room, on at most three axes.
[[nodiscard]] std::vector<Dimension> dimensions_of(const std::vector<std::int64_t>& extents, std::int64_t threads);

/// The roles in the order in which the loops stand when all are split; at most three blocks, the longest.
[[nodiscard]] std::vector<ThreadRole> roles_of(const std::vector<Dimension>& dimensions);

/// Blocks first, the longest last; then threads, x last; then what stays inside.
[[nodiscard]] std::vector<std::size_t> order_of(const std::vector<ThreadRole>& roles);

[[nodiscard]] std::size_t count_of(const std::vector<ThreadRole>& roles, ThreadRole::Kind kind);

}  // namespace steptp
