#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace steptp {

constexpr std::uint32_t kNoToken = UINT32_MAX;

/// The merge rules of a byte-pair encoding and the merging itself: again and again the pair with the lowest rank is
/// joined, the leftmost of equals first, until no neighbours have a rule.
class BytePairs {
 public:
  explicit BytePairs(std::size_t expected);

  /// A later rule for the same pair takes the place of an earlier one, as in the Python package.
  void add(std::uint32_t left, std::uint32_t right, std::uint32_t rank, std::uint32_t merged);

  /// Joins the symbols and leaves what remains of them in the vector.
  void merge(std::vector<std::uint32_t>& symbols) const;

 private:
  struct Rule {
    std::uint64_t pair;
    std::uint32_t rank;
    std::uint32_t merged;
  };
  [[nodiscard]] static std::uint64_t key(std::uint32_t left, std::uint32_t right) {
    return static_cast<std::uint64_t>(left) << 32 | right;
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t pair) const {
    return static_cast<std::size_t>(pair * 0x9e3779b97f4a7c15ULL >> shift_);
  }
  /// The rule for two neighbours; one with the rank kNoToken where there is none.
  [[nodiscard]] const Rule& find(std::uint32_t left, std::uint32_t right) const {
    const std::uint64_t pair = key(left, right);
    std::size_t slot = slot_of(pair);
    while (rules_[slot].pair != pair && rules_[slot].rank != kNoToken) slot = (slot + 1) & (rules_.size() - 1);
    return rules_[slot];
  }
  void merge_short(std::vector<std::uint32_t>& symbols) const;
  void merge_long(std::vector<std::uint32_t>& symbols) const;

  std::vector<Rule> rules_;  // open addressing, never full; an empty slot has the rank kNoToken
  std::size_t used_ = 0;
  int shift_;
};

}  // namespace steptp
