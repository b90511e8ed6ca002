#pragma once

#include <cstddef>
#include <deque>
#include <type_traits>

namespace steptp::certify {

/// Values that own memory and keep it from one use to the next, handed out and taken back like a stack.
template <typename Value>
class ScratchPool {
 public:
  [[nodiscard]] Value& take() {
    if (used_ == values_.size()) values_.emplace_back();
    return values_[used_++];
  }
  void give_back() { --used_; }

 private:
  std::deque<Value> values_;
  std::size_t used_ = 0;
};

template <typename Value>
class BorrowedScratch {
 public:
  explicit BorrowedScratch(ScratchPool<Value>& pool) : pool_(pool), value_(pool.take()) {}
  BorrowedScratch(const BorrowedScratch&) = delete;
  BorrowedScratch& operator=(const BorrowedScratch&) = delete;
  ~BorrowedScratch() { pool_.give_back(); }
  [[nodiscard]] Value& operator*() { return value_; }

 private:
  ScratchPool<Value>& pool_;
  Value& value_;
};

template <typename Value>
class PlainScratch {
 public:
  explicit PlainScratch(ScratchPool<Value>&) {}
  [[nodiscard]] Value& operator*() { return value_; }

 private:
  Value value_;
};

/// A value of its own for a moment.
template <typename Arithmetic>
using Scratch = std::conditional_t<Arithmetic::kHasPlainValues, PlainScratch<typename Arithmetic::Value>,
                                   BorrowedScratch<typename Arithmetic::Value>>;

}  // namespace steptp::certify
