#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

/// Iterations of one statement that are evaluated side by side: an operation is looked up once and done for all.
inline constexpr std::size_t kLanes = 128;
/// Operations done side by side cost a fraction of single ones, and count as that.
inline constexpr std::uint64_t kLanesPerOperation = 4;

struct Lanes {
  const StatementCode* statement = nullptr;
  std::size_t count = 0;
  /// By loop: one value per lane, or null where all have the same.
  std::array<const std::int64_t*, kMaxLoops> slots{};
  std::array<std::int64_t, kMaxLoops> constants{};
  /// Lanes of one statement with the same number, which is not 0, have the same values in all loops that vary.
  std::uint64_t pattern = 0;

  [[nodiscard]] std::int64_t at(std::size_t slot, std::size_t lane) const {
    return slots[slot] ? slots[slot][lane] : constants[slot];
  }
  /// All loops of one lane.
  void slots_at(std::size_t lane, std::array<std::int64_t, kMaxLoops>& out) const {
    for (std::size_t i = 0; i < statement->extents.size(); ++i) out[i] = at(i, lane);
  }
  /// A linear index in every lane.
  void linear(std::int64_t constant, const std::vector<LinearPart>& parts, std::int64_t* out) const {
    std::int64_t base = constant;
    for (const LinearPart& part : parts) {
      if (!slots[part.slot]) base += part.coefficient * constants[part.slot];
    }
    for (std::size_t lane = 0; lane < count; ++lane) out[lane] = base;
    for (const LinearPart& part : parts) {
      const std::int64_t* values = slots[part.slot];
      if (!values) continue;
      for (std::size_t lane = 0; lane < count; ++lane) out[lane] += part.coefficient * values[lane];
    }
  }
};

/// Arrays of one value per lane, handed out and taken back like a stack.
template <typename T>
class LanePool {
 public:
  class Borrowed {
   public:
    explicit Borrowed(LanePool& pool) : pool_(pool), values_(pool.take()) {}
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() { pool_.give_back(); }
    [[nodiscard]] T* get() const { return values_; }
    [[nodiscard]] T& operator[](std::size_t lane) const { return values_[lane]; }

   private:
    LanePool& pool_;
    T* values_;
  };

  [[nodiscard]] T* take() {
    if (used_ == blocks_.size()) blocks_.push_back(std::make_unique<T[]>(kLanes));
    return blocks_[used_++].get();
  }
  void give_back() { --used_; }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t used_ = 0;
};

/// Any number of such arrays, for the same time.
class LaneBlocks {
 public:
  explicit LaneBlocks(LanePool<std::int64_t>& pool) : pool_(pool) {}
  LaneBlocks(const LaneBlocks&) = delete;
  LaneBlocks& operator=(const LaneBlocks&) = delete;
  ~LaneBlocks() {
    for (; count_ > 0; --count_) pool_.give_back();
  }
  [[nodiscard]] std::int64_t* add() {
    std::int64_t* values = pool_.take();
    ++count_;
    return values;
  }

 private:
  LanePool<std::int64_t>& pool_;
  std::size_t count_ = 0;
};

/// Rows that were drawn or computed before: a row of a matrix is read once per column of the other one.
template <typename T>
class LaneCache {
 public:
  struct Key {
    const Access* access = nullptr;
    std::int64_t base = 0;      ///< the position, as far as it does not vary
    std::uint64_t pattern = 0;  ///< of the lanes
    bool operator==(const Key&) const = default;
  };

  /// The row of that key: filled by `fill` where it is not there, which may itself ask for rows.
  template <typename Fill>
  [[nodiscard]] const T* row(const Key& key, std::size_t count, const Fill& fill) {
    if (entries_.empty()) entries_.resize(kEntries);
    const Hash hash = mix(static_cast<Hash>(key.base) ^ mix(key.pattern ^ mix(static_cast<Hash>(key.access->number))));
    Entry& entry = entries_[hash % kEntries];
    if (!(entry.key == key)) {
      std::vector<T> made(count);
      fill(made.data());
      entry.row = std::move(made);
      entry.key = key;
    }
    return entry.row.data();
  }

 private:
  static constexpr std::size_t kEntries = 2048;
  struct Entry {
    Key key;
    std::vector<T> row;
  };
  std::vector<Entry> entries_;
};

}  // namespace steptp::certify
