#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "steptp/machine/code.h"

namespace steptp::certify {

/// A digit of the number of a thread: `slot / divisor % modulus`, so many times. Without a modulus all of the quotient.
struct RankPart {
  std::int64_t coefficient = 1;
  std::uint32_t slot = 0;
  std::int64_t divisor = 1;
  std::int64_t modulus = 0;

  [[nodiscard]] std::int64_t of(const std::int64_t* slots) const {
    const std::int64_t quotient = slots[slot] / divisor;
    return coefficient * (modulus == 0 ? quotient : quotient % modulus);
  }
};

/// The order in which threads accumulate into an element, where that is not the order of the text. What loops before
/// `first_loop` fix is a round: rounds follow one another in the order of the text.
struct ThreadFold {
  enum class Form : std::uint8_t {
    in_turn,   ///< in a round one thread after another
    together,  ///< each folds its part, beginning with the identity; parts are joined, and the result to the element
  };
  Form form = Form::together;
  std::uint32_t first_loop = 0;
  std::vector<RankPart> rank;  ///< the number of a thread among those that reduce
  /// Of `together`: how many parts are joined at once, and then how many of what came of them. One number, or two for
  /// warps.
  std::vector<std::int64_t> joined;
};
using ThreadFolds = std::map<std::uint32_t, ThreadFold>;  ///< by statement

/// What a machine does to values of an accumulation.
template <typename Value>
struct FoldActions {
  std::function<void(Value&)> identity;
  std::function<void(const std::int64_t* slots, Value& accumulator)> fold;  ///< one iteration
  std::function<void(Value& into, const Value& other)> join;
  std::function<void(std::uint64_t bytes)> reserve;
  std::function<void(std::uint64_t bytes)> give_back;
};

/// What the threads of a block do to one element between two barriers.
template <typename Value>
class ThreadRound {
 public:
  ThreadRound(const ThreadFold& fold, std::size_t loops, const FoldActions<Value>& actions)
      : fold_(fold), loops_(loops), actions_(actions) {}
  ThreadRound(const ThreadRound&) = delete;
  ThreadRound& operator=(const ThreadRound&) = delete;
  ~ThreadRound() { forget_turns(); }

  /// An iteration; those of one thread come in the order of the text.
  void add(const std::int64_t* slots, Value& element) {
    if (has_begun_ && !std::equal(round_.begin(), round_.end(), slots)) finish(element);
    if (!has_begun_) begin(slots);
    std::int64_t rank = 0;
    for (const RankPart& part : fold_.rank) rank += part.of(slots);
    if (is_in_turn()) {
      remember(rank, slots);
    } else {
      actions_.fold(slots, parts_[static_cast<std::size_t>(rank)]);
    }
  }

  /// After the last one.
  void finish(Value& element) {
    if (!has_begun_) return;
    has_begun_ = false;
    if (is_in_turn()) return take_turns(element);
    std::size_t distance = 1;
    for (const std::int64_t joined : fold_.joined) {
      const std::size_t span = distance * static_cast<std::size_t>(joined);
      for (std::size_t first = 0; first < parts_.size(); first += span) {
        join(first, distance, static_cast<std::size_t>(joined));
      }
      distance = span;
    }
    actions_.join(element, parts_[0]);
  }

 private:
  [[nodiscard]] bool is_in_turn() const { return fold_.form == ThreadFold::Form::in_turn; }

  void begin(const std::int64_t* slots) {
    has_begun_ = true;
    round_.assign(slots, slots + fold_.first_loop);
    if (is_in_turn()) return;
    std::size_t size = 1;
    for (const std::int64_t joined : fold_.joined) size *= static_cast<std::size_t>(joined);
    parts_.assign(size, Value());
    for (Value& part : parts_) actions_.identity(part);
  }

  /// So many parts, each so far from the next: the first ones take up those behind them, at half the distance each
  /// time (lowering/collectives.h).
  void join(std::size_t first, std::size_t distance, std::size_t count) {
    std::size_t step = 1;
    while (step * 2 < count) step *= 2;
    for (; step > 0; step /= 2) {
      for (std::size_t i = 0; i < step && i + step < count; ++i) {
        actions_.join(parts_[first + i * distance], parts_[first + (i + step) * distance]);
      }
    }
  }

  void remember(std::int64_t rank, const std::int64_t* slots) {
    const std::uint64_t bytes = sizeof turns_[0] + loops_ * sizeof slots[0];
    actions_.reserve(bytes);
    reserved_ += bytes;
    turns_.emplace_back(rank, iterations_.size());
    iterations_.insert(iterations_.end(), slots, slots + loops_);
  }

  void take_turns(Value& element) {
    std::stable_sort(turns_.begin(), turns_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [rank, at] : turns_) actions_.fold(iterations_.data() + at, element);
    forget_turns();
  }

  void forget_turns() {
    if (reserved_ > 0) actions_.give_back(std::exchange(reserved_, 0));
    turns_.clear();
    iterations_.clear();
  }

  const ThreadFold& fold_;
  std::size_t loops_;
  const FoldActions<Value>& actions_;
  bool has_begun_ = false;
  std::vector<std::int64_t> round_;
  std::vector<Value> parts_;
  std::vector<std::pair<std::int64_t, std::size_t>> turns_;  ///< thread, and where its iteration is
  std::vector<std::int64_t> iterations_;
  std::uint64_t reserved_ = 0;
};

}  // namespace steptp::certify
