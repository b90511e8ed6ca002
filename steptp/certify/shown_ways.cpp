// Both programs are evaluated in an arithmetic in which no comparison of reals is decided (arithmetic/
// opaque_arithmetic.h). If they give the same number at random unknowns, they are the same expression in uninterpreted
// functions, and so agree for every outcome of every comparison, ties included. Draws are repeated until the chance
// that this is an accident is small enough. Integers have no such arithmetic: they are drawn, many times where they
// matter. docs/decisions/0012-every-way-at-once.md.
#include "steptp/certify/shown_ways.h"

#include <algorithm>
#include <map>
#include <utility>

#include "steptp/base/hash.h"
#include "steptp/certify/every_way.h"
#include "steptp/machine/choices.h"

namespace steptp::certify {

namespace {

/// At least so many draws, and more until the bound is reached.
constexpr std::uint64_t kLeastDraws = 2;
constexpr std::uint64_t kMostDraws = 24;
/// Draws of integers, first and afterwards, at which every way of the reals is shown.
constexpr std::uint64_t kTrialsOfIntegers = 40;
constexpr std::uint64_t kIntegerDraws = 48;
/// What it costs beyond a share of the budget is better spent on draws.
constexpr std::uint64_t kShare = 2;

}  // namespace

void ShownWays::show() {
  if (!pair_.has_order() && !pair_.window.has_hazards) return;
  is_shown_ = true;
  before_ = choices_as_reals(pair_.before);
  after_ = choices_as_reals(pair_.after);
  seen_before_.assign(pair_.before.branches.size(), 0);
  seen_after_.assign(pair_.after.branches.size(), 0);
  const std::vector<OutputPoint> points = pair_.is_enough() ? points_.first(points_.required()) : points_.list();
  const std::uint64_t trials = pair_.draws_integers() ? kTrialsOfIntegers : 1;
  for (std::uint64_t trial = 0; trial < trials && is_shown_; ++trial) {
    show_at(points, {DrawKind::generic, pair_.seed_of(DrawKind::generic, trial)});
    if (pair_.is_enough()) break;
  }
}

void ShownWays::not_shown(std::string reason) {
  is_shown_ = false;
  reason_ = std::move(reason);
}

void ShownWays::show_at(const std::vector<OutputPoint>& points, const Draw& draw) {
  Budget budget{pair_.budget.operations / kShare, 0};
  const std::uint64_t given = budget.operations;
  std::map<OutputPoint, double> bounds;
  for (const OutputPoint& point : points) {
    if (points_.contains(point)) bounds.emplace(point, 0.0);
  }
  for (std::uint64_t trial = 0; trial < kMostDraws && is_shown_; ++trial) {
    Draw again = draw;
    again.seed = trial == 0 ? draw.seed : combine(draw.seed, trial);
    budget.bytes = pair_.budget.bytes / kShare;
    EveryWay ways(pair_.pair, before_ ? *before_ : pair_.before, after_ ? *after_ : pair_.after, pair_.model, again,
                  budget, pair_.window);
    for (auto& [point, bound] : bounds) {
      const EveryWay::Shown shown = ways.at(point);
      if (!shown.agrees) {
        not_shown(shown.reason);
        break;
      }
      bound += shown.bound_log2;
    }
    ways.collect_outcomes(seen_before_, seen_after_);
    const bool is_reached = std::all_of(bounds.begin(), bounds.end(),
                                        [this](const auto& item) { return item.second <= pair_.options.bound_log2; });
    if (trial + 1 >= kLeastDraws && is_reached) break;
    if (trial + 1 == kMostDraws) not_shown("the error bound is too weak");
  }
  for (const auto& [point, bound] : bounds) bound_log2_ = std::max(bound_log2_, bound);
  pair_.budget.operations -= given - budget.operations;
}

void ShownWays::show_integers_at(const std::vector<OutputPoint>& points, const Draw& draw) {
  if (is_shown_ && pair_.draws_integers() && integer_draws_++ < kIntegerDraws) show_at(points, draw);
}

}  // namespace steptp::certify
