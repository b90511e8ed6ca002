#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "steptp/base/hash.h"

namespace steptp {

/// Remembers the ids of words already seen. Programs repeat their words, and finding one here is ten times cheaper
/// than merging it again. A cache belongs to one thread at a time; a Tokenizer that is handed the cache of another
/// empties it first.
class WordCache {
 public:
  /// About `slots` words, a cache line each.
  explicit WordCache(std::size_t slots = kDefaultSlots);

 private:
  friend class Tokenizer;
  static constexpr std::size_t kDefaultSlots = 8192;
  static constexpr std::size_t kMaxWord = 22;
  static constexpr std::size_t kMaxIds = 10;

  /// A word and its ids in one cache line; a length of 0 is an empty slot.
  struct alignas(64) Slot {
    std::uint8_t length = 0;
    std::uint8_t count = 0;
    char word[kMaxWord];
    std::uint32_t ids[kMaxIds];
  };
  static_assert(sizeof(Slot) == 64);

  /// Two loads cover a word of up to 16 bytes, overlapping where it is shorter.
  [[nodiscard]] static Hash hash(std::string_view word) {
    const auto load = [&word](std::size_t at, auto value) {
      std::memcpy(&value, word.data() + at, sizeof value);
      return static_cast<std::uint64_t>(value);
    };
    const std::size_t n = word.size();
    std::uint64_t first, last, middle = 0;
    if (n >= 8) {
      first = load(0, std::uint64_t{});
      last = load(n - 8, std::uint64_t{});
      if (n > 16) middle = load(8, std::uint64_t{});
    } else if (n >= 4) {
      first = load(0, std::uint32_t{});
      last = load(n - 4, std::uint32_t{});
    } else {
      first = load(0, std::uint8_t{});
      last = load(n / 2, std::uint8_t{}) << 8 | load(n - 1, std::uint8_t{});
    }
    return (first ^ (last + n) * 0x9e3779b97f4a7c15ULL ^ middle * 0xd1b54a32d192ed03ULL) * 0xbf58476d1ce4e5b9ULL;
  }
  /// The slot for a word of 1 to kMaxWord bytes, whoever is in it.
  [[nodiscard]] Slot& slot(std::string_view word) { return slots_[static_cast<std::size_t>(hash(word) >> shift_)]; }
  [[nodiscard]] static bool holds(const Slot& slot, std::string_view word) {
    return slot.length == word.size() && std::memcmp(slot.word, word.data(), word.size()) == 0;
  }
  static void keep(Slot& slot, std::string_view word, std::span<const std::uint32_t> ids);
  void belong_to(const std::shared_ptr<const void>& owner);

  std::vector<Slot> slots_;
  int shift_;
  std::shared_ptr<const void> owner_;  // shared, so that a new tokenizer cannot have the address of a dead one
};

}  // namespace steptp
