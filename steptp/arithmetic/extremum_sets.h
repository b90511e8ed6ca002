#pragma once

#include <cstdint>
#include <vector>

#include "steptp/arithmetic/real_range.h"
#include "steptp/arithmetic/twin_field.h"

namespace steptp::certify {

/// Sets of numbers that share structure, for maxima of many: adding one to a set of n costs about log n, the set it was
/// added to stays what it was, and equal sets have equal hashes. A trie over hashed numbers, whose shape depends on the
/// members only. Number 0 is the empty set.
class ExtremumSets {
 public:
  struct Member {
    Twin number;
    RealRange range;
    std::uint32_t set = 0;    ///< where the member is itself the greatest of some
    bool is_least = false;    ///< or minus the greatest of some
    Twin core;                ///< has the sign of the number
    bool is_number = false;   ///< the same at every input
    std::uint64_t holes = 0;  ///< where it may have no value; such members are told apart
  };

  ExtremumSets();

  [[nodiscard]] std::uint32_t with(std::uint32_t set, const Member& member);
  [[nodiscard]] std::uint32_t united(std::uint32_t a, std::uint32_t b) { return united_at(a, b, 0); }
  [[nodiscard]] std::uint32_t size(std::uint32_t set) const { return nodes_[set].size; }
  [[nodiscard]] std::uint64_t hash(std::uint32_t set) const { return nodes_[set].hash; }
  [[nodiscard]] bool has_holes(std::uint32_t set) const { return nodes_[set].has_holes; }
  /// Of a small set, in the order of hashes.
  [[nodiscard]] std::vector<Member> members(std::uint32_t set) const;

 private:
  struct Node {
    std::uint64_t hash = 0;  ///< of a leaf, also its way through the trie
    std::uint32_t size = 0;
    std::uint32_t left = 0;  ///< 0 in a leaf
    std::uint32_t right = 0;
    std::uint32_t member = 0;
    bool has_holes = false;
  };

  [[nodiscard]] std::uint32_t make(std::uint32_t left, std::uint32_t right);
  [[nodiscard]] std::uint32_t united_at(std::uint32_t a, std::uint32_t b, int depth);
  void collect(std::uint32_t set, std::vector<Member>& out) const;

  std::vector<Node> nodes_;
  std::vector<Member> members_;
};

}  // namespace steptp::certify
