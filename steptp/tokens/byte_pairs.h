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
  struct Outcome {
    std::uint32_t rank = kNoToken;
    std::uint32_t merged = kNoToken;
  };
  struct Rule {
    std::uint64_t pair;
    Outcome outcome;
  };
  // Vocabularies begin with the single bytes, and every word begins as single bytes: their pairs have a table.
  static constexpr std::uint32_t kSmall = 256;
  static constexpr int kFilterBits = 21;

  [[nodiscard]] static std::uint64_t key(std::uint32_t left, std::uint32_t right) {
    return static_cast<std::uint64_t>(left) << 32 | right;
  }
  [[nodiscard]] static std::uint64_t scramble(std::uint64_t pair) {
    const std::uint64_t product = pair * 0x9e3779b97f4a7c15ULL;
    return (product ^ product >> 32) * 0xd1b54a32d192ed03ULL;
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t pair) const {
    return static_cast<std::size_t>(scramble(pair) >> shift_);
  }
  [[nodiscard]] std::size_t find_slot(std::uint64_t pair) const {
    std::size_t slot = slot_of(pair);
    while (rules_[slot].pair != pair && rules_[slot].outcome.rank != kNoToken) slot = (slot + 1) & (rules_.size() - 1);
    return slot;
  }
  /// What becomes of two neighbours; the rank is kNoToken where there is no rule.
  [[nodiscard]] Outcome find(std::uint32_t left, std::uint32_t right) const {
    if ((left | right) < kSmall) return small_[left * kSmall + right];
    const std::uint64_t pair = key(left, right);
    const std::size_t bit = filter_bit(pair);
    if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return {};
    return rules_[find_slot(pair)].outcome;
  }
  [[nodiscard]] static std::size_t filter_bit(std::uint64_t pair) {
    return static_cast<std::size_t>(scramble(pair) >> (64 - kFilterBits));
  }
  void merge_short(std::vector<std::uint32_t>& symbols) const;
  void merge_long(std::vector<std::uint32_t>& symbols) const;

  std::vector<Rule> rules_;     // open addressing, never full; an empty slot has the rank kNoToken
  std::vector<Outcome> small_;  // pairs of ids below kSmall
  // A bit is set for every pair that has a rule, and clear for nearly all others. Most neighbours have none, and asking
  // the large table about each would fetch a line of memory for nothing.
  std::vector<std::uint64_t> filter_;
  std::size_t used_ = 0;
  int shift_;
};

}  // namespace steptp
