// Whether the programs agree whichever way their comparisons of reals go.
#include <algorithm>

#include "steptp/base/hash.h"
#include "steptp/certify/every_way.h"
#include "steptp/certify/judge.h"
#include "steptp/machine/choices.h"

namespace steptp::certify {

namespace {

/// At least so many draws, and more until the bound is reached.
constexpr std::uint64_t kLeastDraws = 2;
constexpr std::uint64_t kMostDraws = 24;

}  // namespace

bool Judge::draws_integers() const {
  const auto makes_integers = [](const Code& code) {
    return std::any_of(code.nodes.begin(), code.nodes.end(),
                       [](const Node& node) { return node.op == Op::integer_of_real && node.dtype != DType::boolean; });
  };
  return has_free_integers() || makes_integers(before_) || makes_integers(after_);
}

void Judge::show_every_way() {
  const bool has_order = before_.has_order || after_.has_order;
  if (!has_order && !window_.has_hazards) return;
  is_shown_ = true;
  opaque_before_ = choices_as_reals(before_);
  opaque_after_ = choices_as_reals(after_);
  ways_seen_before_.assign(before_.branches.size(), 0);
  ways_seen_after_.assign(after_.branches.size(), 0);
  const auto count = static_cast<std::ptrdiff_t>(is_enough() ? required_ : points_.size());
  const std::vector<OutputPoint> points(points_.begin(), points_.begin() + count);
  constexpr std::uint64_t kTrialsOfIntegers = 40;
  const std::uint64_t trials = draws_integers() ? kTrialsOfIntegers : 1;
  for (std::uint64_t trial = 0; trial < trials && is_shown_; ++trial) {
    show_at(points, {DrawKind::generic, seed_of(DrawKind::generic, trial)});
    if (is_enough()) break;
  }
}

void Judge::show_at(const std::vector<OutputPoint>& points, const Draw& draw) {
  // What it costs beyond a share of the budget is better spent on draws.
  constexpr std::uint64_t kShare = 2;
  Budget budget{budget_.operations / kShare, 0};
  const std::uint64_t given = budget.operations;
  std::map<OutputPoint, double> bounds;
  for (const OutputPoint& point : points) {
    if (known_points_.contains(point)) bounds.emplace(point, 0.0);
  }
  for (std::uint64_t trial = 0; trial < kMostDraws && is_shown_; ++trial) {
    Draw again = draw;
    again.seed = trial == 0 ? draw.seed : combine(draw.seed, trial);
    budget.bytes = budget_.bytes / kShare;
    EveryWay ways(pair_, opaque_before_ ? *opaque_before_ : before_, opaque_after_ ? *opaque_after_ : after_, model_,
                  again, budget, window_);
    for (auto& [point, bound] : bounds) {
      const EveryWay::Shown shown = ways.at(point);
      if (!shown.agrees) {
        is_shown_ = false;
        answer_.not_in_every_way = shown.reason;
        break;
      }
      bound += shown.bound_log2;
    }
    ways.collect_outcomes(ways_seen_before_, ways_seen_after_);
    const bool reached = std::all_of(bounds.begin(), bounds.end(),
                                     [this](const auto& item) { return item.second <= options_.bound_log2; });
    if (trial + 1 >= kLeastDraws && reached) break;
    if (trial + 1 == kMostDraws) {
      is_shown_ = false;
      answer_.not_in_every_way = "the error bound is too weak";
    }
  }
  for (const auto& [point, bound] : bounds) shown_bound_ = std::max(shown_bound_, bound);
  budget_.operations -= given - budget.operations;
}

}  // namespace steptp::certify
