#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "steptp/certify/trace.h"

namespace steptp::certify {

/// The ways on which two programs came to an element, as a tree: each node is a comparison that could still have gone
/// the other way. Complete where both ways were taken at every node: then every combination was seen.
class Combinations {
 public:
  /// Comparisons of reals are left out where every way of them has been shown.
  explicit Combinations(bool has_reals) : has_reals_(has_reals) {}

  /// True where the way is new.
  bool add(const Trace& before, const Trace& after);

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
    std::uint8_t seen = 0;  ///< 1 where false, 2 where true
  };

  bool has_reals_;
  std::map<std::uint64_t, Node> nodes_;  ///< by what came before
};

}  // namespace steptp::certify
