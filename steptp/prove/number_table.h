#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "steptp/base/hash.h"

namespace steptp::forms {

/// Numbers by the hashes of what they stand for: one flat array, in which a hash is looked for from its own place on.
/// The prover asks for millions of nodes, and a table of lists took a tenth of its time.
class NumberTable {
 public:
  /// Of the numbers with this hash, one that `is_wanted` accepts.
  template <typename IsWanted>
  [[nodiscard]] std::optional<std::uint32_t> find(Hash hash, const IsWanted& is_wanted) const {
    if (slots_.empty()) return std::nullopt;
    for (std::size_t at = place_of(hash);; at = next(at)) {
      const Slot& slot = slots_[at];
      if (slot.number == kFree) return std::nullopt;
      if (slot.number != kRemoved && slot.hash == hash && is_wanted(slot.number)) return slot.number;
    }
  }

  void add(Hash hash, std::uint32_t number) {
    if (2 * (taken_ + 1) > slots_.size()) grow();
    put(hash, number);
  }

  void remove(Hash hash, std::uint32_t number) {
    if (slots_.empty()) return;
    for (std::size_t at = place_of(hash); slots_[at].number != kFree; at = next(at)) {
      if (slots_[at].number != number) continue;
      slots_[at].number = kRemoved;
      return;
    }
  }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;
  static constexpr std::uint32_t kRemoved = UINT32_MAX - 1;  ///< a search goes on behind it
  struct Slot {
    Hash hash = 0;
    std::uint32_t number = kFree;
  };

  [[nodiscard]] std::size_t place_of(Hash hash) const { return hash & (slots_.size() - 1); }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  void put(Hash hash, std::uint32_t number) {
    std::size_t at = place_of(hash);
    while (slots_[at].number != kFree) at = next(at);
    slots_[at] = {hash, number};
    ++taken_;
  }

  /// Twice as many places, of which less than half are ever taken; removed ones are left behind.
  void grow() {
    constexpr std::size_t kFirst = 64;
    std::vector<Slot> old(slots_.empty() ? kFirst : 2 * slots_.size());
    old.swap(slots_);
    taken_ = 0;
    for (const Slot& slot : old) {
      if (slot.number < kRemoved) put(slot.hash, slot.number);
    }
  }

  std::vector<Slot> slots_;  ///< a power of two
  std::size_t taken_ = 0;    ///< removed ones too
};

}  // namespace steptp::forms
