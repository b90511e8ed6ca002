// A region that few elements lie in, one entry of a table, a quotient that is off once in a thousand: draws at chosen
// elements pass them by, so as many elements are compared as cost little.
#include <algorithm>
#include <array>
#include <numeric>

#include "steptp/certify/judge.h"

namespace steptp::certify {

namespace {

/// Operations for one draw. Special values are drawn at fewer elements, because any element may have them.
struct Sweep {
  DrawKind kind;
  std::uint64_t operations;
};
constexpr std::array<Sweep, 4> kSweeps = {{{DrawKind::generic, 4'000'000},
                                           {DrawKind::zeros, 500'000},
                                           {DrawKind::thresholds, 500'000},
                                           {DrawKind::ties, 500'000}}};
/// Of what is left at most this part, for each draw.
constexpr std::uint64_t kLeastShare = 16;
/// Operations of the first look at a few elements, up to which elements are cheap.
constexpr std::uint64_t kCheap = 20'000;
/// What the field cannot decide is left to balls at so many elements of a draw.
constexpr int kMostBalls = 32;

/// A step that is coprime to the count, near the golden section of it: neighbours in time are far apart.
std::int64_t step_through(std::int64_t count) {
  constexpr double kGoldenSection = 0.6180339887498949;
  auto step = static_cast<std::int64_t>(static_cast<double>(count) * kGoldenSection);
  while (step > 1 && std::gcd(step, count) != 1) --step;
  return std::max<std::int64_t>(step, 1);
}

}  // namespace

bool Judge::sweep() {
  // What has an expensive front is better compared in its changed window.
  const std::uint64_t cost_of_first_look = options_.budget_operations - budget_.operations;
  if (window_.is_cut || cost_of_first_look > kCheap) return true;
  for (const Sweep& sweep : kSweeps) {
    if (sweep.kind != DrawKind::generic && !is_wanted(sweep.kind)) continue;
    const Draw draw{sweep.kind, seed_of(sweep.kind, 0)};
    const std::uint64_t allowed = std::min(sweep.operations, budget_.operations / kLeastShare);
    for (const Variable& variable : signature_.variables) {
      if (variable.role != Role::output) continue;
      Budget few{allowed, budget_.bytes, budget_.stop};
      const bool goes_on = sweep_output(variable, draw, few);
      budget_.operations -= std::min(budget_.operations, allowed - few.operations);
      if (!goes_on) return false;
    }
  }
  return true;
}

bool Judge::sweep_output(const Variable& variable, const Draw& draw, Budget& budget) {
  const auto count = element_count(variable.shape);
  if (!count || *count == 0) return true;
  Comparison comparison(pair_, model_, draw, options_, budget, Share::all);
  const std::int64_t step = step_through(*count);
  std::int64_t position = 0;
  int balls = 0;
  for (std::int64_t i = 0; i < *count && budget.operations > 0; ++i, position = (position + step) % *count) {
    const OutputPoint point{variable.name, index_at(variable, position)};
    PointAnswer found = comparison.quickly_at(point);
    if (found.kind == PointAnswer::Kind::undecided && ++balls <= kMostBalls) found = comparison.at(point);
    if (found.kind != PointAnswer::Kind::differs && found.kind != PointAnswer::Kind::undefined) continue;
    differs(comparison, draw, point, found);
    return false;
  }
  return true;
}

}  // namespace steptp::certify
