// A wrong program mostly differs anywhere, so a few elements are compared first. A region that few elements lie in, one
// entry of a table, a quotient that is off once in a thousand: draws at chosen elements pass them by, so as many
// elements are compared as cost little. docs/decisions/0010-certified-evaluation.md.
#include "steptp/certify/first_looks.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "steptp/certify/draw_kinds.h"

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

Progress FirstLooks::bools_of_one_kind() {
  for (std::size_t i = 0; i < pair_.model.inputs.size(); ++i) {
    const Variable& variable = *pair_.model.inputs[i].variable;
    if (variable.dtype != DType::boolean || !variable.values.empty()) continue;
    for (const std::int64_t pattern : {kAllTrue, kAllFalse}) {
      if (is_decided(bools_as(i, pattern))) return Progress::decided;
    }
  }
  return Progress::go_on;
}

Progress FirstLooks::bools_as(std::size_t input, std::int64_t pattern) {
  // A row that is masked whole takes few operations, because branches that are not taken are not evaluated. What does
  // take many is left to the other looks.
  constexpr std::uint64_t kMostOperations = 2'000'000;
  const Draw draw{DrawKind::pattern, pair_.seed_of(DrawKind::pattern, static_cast<std::uint64_t>(pattern)), pattern,
                  input};
  Budget few{kMostOperations, pair_.budget.bytes, pair_.budget.stop};
  Comparison comparison(pair_.pair, pair_.model, draw, pair_.options, few);
  for (const OutputPoint& point : points_.first(2)) {
    const PointAnswer found = comparison.at(point);
    if (is_decided(findings_.take_difference(comparison, draw, point, found))) return Progress::decided;
  }
  return Progress::go_on;
}

Progress FirstLooks::first_elements() {
  const std::vector<OutputPoint>& points = points_.list();
  if (points.empty()) return Progress::go_on;
  const Draw draw{DrawKind::generic, pair_.seed_of(DrawKind::generic, 0)};
  Comparison comparison(pair_.pair, pair_.model, draw, pair_.options, pair_.budget, Share::all);
  for (const OutputPoint& point :
       {points[0], second_element(points[0]), points[std::min<std::size_t>(1, points.size() - 1)]}) {
    const PointAnswer found = comparison.quickly_at(point);
    if (is_decided(findings_.take_difference(comparison, draw, point, found))) return Progress::decided;
    if (pair_.is_enough()) break;
  }
  return Progress::go_on;
}

OutputPoint FirstLooks::second_element(OutputPoint first) const {
  const std::vector<std::int64_t>& shape = pair_.signature.find(first.output)->shape;
  for (std::size_t d = 0; d < shape.size(); ++d) first.element[d] = std::min<std::int64_t>(1, shape[d] - 1);
  return first;
}

Progress FirstLooks::sweep() {
  // What has an expensive front is better compared in its changed window.
  if (pair_.window.is_cut || pair_.spent() > kCheap) return Progress::go_on;
  for (const Sweep& sweep : kSweeps) {
    if (sweep.kind != DrawKind::generic && !is_wanted(sweep.kind, pair_, ways_.asks_order())) continue;
    const Draw draw{sweep.kind, pair_.seed_of(sweep.kind, 0)};
    const std::uint64_t allowed = std::min(sweep.operations, pair_.budget.operations / kLeastShare);
    for (const Variable& variable : pair_.signature.variables) {
      if (variable.role != Role::output) continue;
      Budget few{allowed, pair_.budget.bytes, pair_.budget.stop};
      const Progress progress = sweep_output(variable, draw, few);
      pair_.budget.operations -= std::min(pair_.budget.operations, allowed - few.operations);
      if (is_decided(progress)) return progress;
    }
  }
  return Progress::go_on;
}

Progress FirstLooks::sweep_output(const Variable& variable, const Draw& draw, Budget& budget) {
  const auto count = element_count(variable.shape);
  if (!count || *count == 0) return Progress::go_on;
  Comparison comparison(pair_.pair, pair_.model, draw, pair_.options, budget, Share::all);
  const std::int64_t step = step_through(*count);
  std::int64_t position = 0;
  int balls = 0;
  for (std::int64_t i = 0; i < *count && budget.operations > 0; ++i, position = (position + step) % *count) {
    const OutputPoint point{variable.name, index_at(variable, position)};
    PointAnswer found = comparison.quickly_at(point);
    if (found.kind == PointAnswer::Kind::undecided && ++balls <= kMostBalls) found = comparison.at(point);
    if (is_decided(findings_.take_difference(comparison, draw, point, found))) return Progress::decided;
  }
  return Progress::go_on;
}

}  // namespace steptp::certify
