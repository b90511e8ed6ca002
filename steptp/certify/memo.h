#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "steptp/base/hash.h"

namespace steptp::certify {

/// Values by a 64-bit key. A value once put stays where it is.
template <typename Value>
class Memo {
 public:
  [[nodiscard]] const Value* find(std::uint64_t key) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = mix(key) & mask();; at = (at + 1) & mask()) {
      if (slots_[at].value == nullptr) return nullptr;
      if (slots_[at].key == key) return slots_[at].value;
    }
  }

  /// The key is not there yet.
  void put(std::uint64_t key, const Value& value) {
    if (values_.size() * 2 >= slots_.size()) grow();
    values_.push_back(value);
    insert({key, &values_.back()});
  }

  [[nodiscard]] static constexpr std::size_t bytes_per_value() { return sizeof(Value) + 4 * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    const Value* value = nullptr;
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  void insert(Slot slot) {
    std::size_t at = mix(slot.key) & mask();
    while (slots_[at].value != nullptr) at = (at + 1) & mask();
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.value != nullptr) insert(slot);
    }
  }

  std::vector<Slot> slots_;
  std::deque<Value> values_;
};

}  // namespace steptp::certify
