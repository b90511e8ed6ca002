#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "steptp/certify/combinations.h"
#include "steptp/certify/inquiry.h"
#include "steptp/certify/progress.h"

namespace steptp::certify {

/// Looks for ways to an element that draws do not take: from the ways that are new, others, by solving for one input
/// after the other.
class Exploration {
 public:
  /// Ways that were compared and that count are added to `ways`.
  Exploration(Inquiry& inquiry, const OutputPoint& point, Combinations& ways)
      : inquiry_(inquiry), point_(point), ways_(ways), start_(inquiry.pair.budget.operations) {}

  [[nodiscard]] Progress run();

  /// What both programs compare on the way to the element.
  struct Ways {
    Traced before;
    Traced after;
  };

 private:
  /// Inputs from which others are looked for, and the way to them.
  struct State {
    Draw draw;
    Ways ways;
    bool has_ties = false;  ///< that were solved for
  };
  /// One input of a state, and how far from a root of it is tried.
  struct Axis {
    const State& from;
    const Ways& here;
    const InputRead& read;
    std::int64_t distance = 0;
  };

  [[nodiscard]] bool is_spent() const;
  [[nodiscard]] std::optional<Ways> ways_at(const Draw& draw, ReadLog* log = nullptr);
  /// The draw with another value of one input.
  [[nodiscard]] Draw moved(const Draw& from, const InputRead& read, Fraction value) const;

  [[nodiscard]] Progress from_seed(std::int64_t seed);
  [[nodiscard]] Progress from_state(const State& state);
  [[nodiscard]] Progress along(const Axis& axis);
  [[nodiscard]] Progress beside_root(const Axis& axis, Fraction root);
  /// Compares the programs at a draw where a way may be new.
  [[nodiscard]] Progress visit(const Axis& axis, const Draw& draw, bool is_root);

  Inquiry& inquiry_;
  OutputPoint point_;
  Combinations& ways_;
  Combinations tried_{true};
  std::deque<State> states_;
  std::uint64_t start_;
  bool counts_ = false;  ///< no input of this seed was set to zero, which hides differences
};

}  // namespace steptp::certify
