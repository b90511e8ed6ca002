#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

/// Values by a 64-bit key. What find returns is good until the next put.
template <typename Value>
class Memo {
 public:
  [[nodiscard]] const Value* find(std::uint64_t key) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = home(key);; at = (at + 1) & mask()) {
      if (slots_[at].key == key) return &slots_[at].value;
      if (slots_[at].key == kFree) return nullptr;
    }
  }

  /// The key is not there yet.
  void put(std::uint64_t key, const Value& value, std::uint64_t bytes) {
    paid_ += bytes;
    if (size_ * 4 >= slots_.size() * 3) grow();
    ++size_;
    Slot& slot = free_slot(key);
    slot.key = key;
    slot.value = value;
  }

  /// Returns the bytes that were paid for what was there.
  std::uint64_t clear() {
    slots_ = {};
    size_ = 0;
    return std::exchange(paid_, 0);
  }

  /// Between a third and three quarters of the slots are used.
  [[nodiscard]] static constexpr std::size_t bytes_per_value() { return 2 * sizeof(Slot); }

 private:
  /// Iterations are numbered below 2^63.
  static constexpr std::uint64_t kFree = UINT64_MAX;
  struct Slot {
    std::uint64_t key = kFree;
    Value value;
  };

  /// Neighbours stay neighbours: rows are read along.
  [[nodiscard]] std::size_t home(std::uint64_t key) const { return ((mix(key >> 3) << 3) | (key & 7)) & mask(); }
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] Slot& free_slot(std::uint64_t key) {
    std::size_t at = home(key);
    while (slots_[at].key != kFree) at = (at + 1) & mask();
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.key == kFree) continue;
      Slot& target = free_slot(slot.key);
      target = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  std::uint64_t paid_ = 0;
};

/// Integers, with the keys of those that a rounding error may have decided (open_decisions.h).
struct IntegerMemo {
  Memo<std::int64_t> values;
  std::set<std::uint64_t> open;
  std::uint64_t clear() {
    open.clear();
    return values.clear();
  }
};

/// What a machine remembers, by statement.
template <typename Value>
struct Memory {
  explicit Memory(const Code& program)
      : code(program), reals(program.statements.size()), integers(program.statements.size()) {}
  /// Forgets everything, or only what is no accumulation and so mostly cheap to compute again; returns the bytes.
  std::uint64_t forget(bool everything) {
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < reals.size(); ++i) {
      if (!everything && code.statements[i].accumulates) continue;
      bytes += reals[i].clear() + integers[i].clear();
    }
    return bytes;
  }
  const Code& code;
  std::vector<Memo<Value>> reals;
  std::vector<IntegerMemo> integers;
};

}  // namespace steptp::certify
