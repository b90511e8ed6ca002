#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "steptp/arithmetic/failure.h"
#include "steptp/machine/budget.h"
#include "steptp/machine/code.h"
#include "steptp/machine/memo.h"

namespace steptp::certify {

/// What a machine remembers: the values that statements stored, by statement and iteration. Room is paid for out of a
/// budget; where there is none left, values are forgotten and computed again.
template <typename Value>
class ValueStore {
 public:
  ValueStore(const Code& code, Budget& budget) : budget_(budget), memory_(code) {
    for (Memo<Value>& memo : memory_.reals) reals_.push_back(&memo);
    for (IntegerMemo& memo : memory_.integers) integers_.push_back(&memo);
  }
  ValueStore(const ValueStore&) = delete;
  ValueStore& operator=(const ValueStore&) = delete;
  ~ValueStore() { budget_.bytes += memory_.forget(true); }

  /// Values of statements that are the same in the other store's program, as `same_as` says of each, are kept there.
  void share_with(ValueStore& other, const std::vector<std::uint32_t>& same_as) {
    for (std::size_t i = 0; i < same_as.size(); ++i) {
      if (same_as[i] == kNone) continue;
      reals_[i] = other.reals_[same_as[i]];
      integers_[i] = other.integers_[same_as[i]];
    }
    others_memory_ = &other.memory_;
    other.others_memory_ = &memory_;
  }

  /// Null where it is not known. Good until the next value is put.
  [[nodiscard]] const Value* find(std::uint32_t statement, std::uint64_t key) const {
    return reals_[statement]->find(key);
  }
  /// Of a value that is not there yet. `extra_bytes`: that it owns beside itself.
  void put(std::uint32_t statement, std::uint64_t key, const Value& value, std::size_t extra_bytes) {
    const std::size_t bytes = Memo<Value>::bytes_per_value() + extra_bytes;
    reserve(bytes);
    reals_[statement]->put(key, value, bytes);
  }

  [[nodiscard]] const std::int64_t* find_integer(std::uint32_t statement, std::uint64_t key) const {
    return integers_[statement]->values.find(key);
  }
  /// A rounding error may have decided the integer.
  [[nodiscard]] bool is_open(std::uint32_t statement, std::uint64_t key) const {
    return integers_[statement]->open.contains(key);
  }
  void put_integer(std::uint32_t statement, std::uint64_t key, std::int64_t value, bool is_open) {
    constexpr std::size_t kBytes = Memo<std::int64_t>::bytes_per_value();
    reserve(kBytes);
    IntegerMemo& memo = *integers_[statement];
    memo.values.put(key, value, kBytes);
    if (is_open) memo.open.insert(key);
  }

  /// Pays for so many bytes; forgets values where there is no room.
  void reserve(std::size_t bytes) {
    // Room for one value only would be gone at the next one.
    const std::uint64_t wanted = budget_.bytes < bytes ? std::max<std::uint64_t>(bytes, kRoom) : bytes;
    for (const bool everything : {false, true}) {
      if (budget_.bytes >= wanted) break;
      budget_.bytes += memory_.forget(everything);
      if (others_memory_) budget_.bytes += others_memory_->forget(everything);
    }
    if (budget_.bytes < bytes) fail(FailureKind::memory, "the budget of bytes is spent");
    budget_.bytes -= bytes;
  }
  void give_back(std::size_t bytes) { budget_.bytes += bytes; }

 private:
  /// What has to be free, at least, after something was forgotten.
  static constexpr std::uint64_t kRoom = std::uint64_t{8} << 20;

  Budget& budget_;
  Memory<Value> memory_;
  Memory<Value>* others_memory_ = nullptr;  ///< of the store with which values are shared
  std::vector<Memo<Value>*> reals_;         ///< by statement: own, or shared
  std::vector<IntegerMemo*> integers_;
};

}  // namespace steptp::certify
