#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "steptp/machine/trace.h"

namespace steptp::certify {

/// The ways on which two programs came to an element, as a tree: each node is a comparison that could still have gone
/// the other way. Complete where both ways were taken at every node: then every combination was seen.
///
/// Programs that agree at a generic point of a way agree on all of it. Points with few digits may agree by accident:
/// it takes several of them, and those of a handful of values count for nothing.
class Combinations {
 public:
  static constexpr int kEnough = 4;  ///< times, at points that count once
  /// Comparisons of reals are left out where every way of them has been shown.
  explicit Combinations(bool has_reals) : has_reals_(has_reals) {}

  /// True where the way has not been taken often enough before. The point counts so many times.
  bool add(const Trace& before, const Trace& after, int count);

  /// A comparison of which one outcome is missing, with the same outcomes before it.
  struct Missing {
    TraceStep step;  ///< with the outcome that is missing
    bool in_before = false;
  };
  [[nodiscard]] std::optional<Missing> missing() const;
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  struct Node {
    TraceStep step;
    bool in_before = false;
    std::array<int, 2> taken{};  ///< how often it was false, how often true
  };

  bool has_reals_;
  std::map<std::uint64_t, Node> nodes_;  ///< by what came before
};

}  // namespace steptp::certify
