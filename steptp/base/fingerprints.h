#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "steptp/base/hash.h"

namespace steptp {

/// A set of hashes and nothing else: 11 to 23 bytes for each, where a tree of them takes 48. Two different things with
/// one hash count as the same; among a million the chance of any such pair is below 2^-24.
class Fingerprints {
 public:
  /// False where it was there already.
  bool insert(Hash hash) {
    if (hash == kNone) return !std::exchange(has_none_, true);
    if ((size_ + 1) * 10 > slots_.size() * 7) grow();
    if (!put(slots_, hash)) return false;
    ++size_;
    return true;
  }

  [[nodiscard]] std::size_t size() const { return size_ + (has_none_ ? 1 : 0); }

 private:
  static constexpr Hash kNone = 0;

  static bool put(std::vector<Hash>& slots, Hash hash) {
    const std::size_t mask = slots.size() - 1;
    for (std::size_t at = mix(hash) & mask;; at = (at + 1) & mask) {
      if (slots[at] == hash) return false;
      if (slots[at] != kNone) continue;
      slots[at] = hash;
      return true;
    }
  }

  void grow() {
    std::vector<Hash> wider(slots_.empty() ? 1024 : slots_.size() * 2, kNone);
    for (const Hash hash : slots_) {
      if (hash != kNone) put(wider, hash);
    }
    slots_ = std::move(wider);
  }

  std::vector<Hash> slots_;
  std::size_t size_ = 0;
  bool has_none_ = false;
};

}  // namespace steptp
