// At which inputs the programs are compared. Generic draws show that they agree almost everywhere, with a bound on the
// chance of an accident. Special draws look for differences at single points, which no random draw meets: ties, zeros,
// the numbers that programs compare data with, masks of whole rows, one element that wins a maximum. Between two draws
// at which a program goes different ways lies an edge; both programs are compared right beside it.
// docs/decisions/0010-certified-evaluation.md.
#include "steptp/certify/draws.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "steptp/base/text.h"
#include "steptp/certify/draw_kinds.h"

namespace steptp::certify {

namespace {

/// Elements of each output, and lines through the inputs of each, along which changes of way are looked for.
constexpr std::size_t kEdgePoints = 3;
constexpr std::uint64_t kEdgeLines = 2;
constexpr std::uint64_t kEdgeOperations = 20'000;

}  // namespace

Progress Draws::generic() {
  const std::uint32_t least = least_trials(pair_);
  for (std::uint32_t trial = 0; trial < std::max(least, pair_.options.most_trials); ++trial) {
    if (trial >= pair_.options.most_trials && pair_.is_enough()) break;
    if (is_decided(generic(trial, trial >= least))) return Progress::decided;
    const auto& points = points_.list();
    const auto needs_more = [this](const OutputPoint& point) { return findings_.needs_more(point); };
    if (trial + 1 >= least && std::none_of(points.begin(), points.end(), needs_more)) break;
  }
  return Progress::go_on;
}

/// `only_weak`: at the elements whose bound is not reached.
Progress Draws::generic(std::uint32_t trial, bool only_weak) {
  const Draw draw{DrawKind::generic, pair_.seed_of(DrawKind::generic, trial)};
  Comparison comparison(pair_.pair, pair_.model, draw, pair_.options, pair_.budget);
  const std::vector<OutputPoint>& points = points_.list();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i >= points_.required() && pair_.is_enough()) break;
    if (only_weak && !findings_.needs_more(points[i])) continue;
    if (is_decided(findings_.compare(comparison, draw, points[i]))) return Progress::decided;
  }
  findings_.collect_outcomes(comparison);
  findings_.note_conversions(comparison);
  return Progress::go_on;
}

Progress Draws::at_all(const std::vector<OutputPoint>& points, DrawKind kind, std::uint64_t trial) {
  const Draw draw{kind, pair_.seed_of(kind, trial)};
  Comparison comparison(pair_.pair, pair_.model, draw, pair_.options, pair_.budget);
  for (const OutputPoint& point : points) {
    points_.add(point);
    if (!points_.contains(point)) continue;
    if (is_decided(findings_.compare(comparison, draw, point))) return Progress::decided;
  }
  findings_.collect_outcomes(comparison);
  if (ways_.is_shown()) ways_.show_at(points, draw);
  return Progress::go_on;
}

Progress Draws::patterns_of_bools() {
  for (std::size_t i = 0; i < pair_.model.inputs.size(); ++i) {
    const Variable& variable = *pair_.model.inputs[i].variable;
    if (variable.dtype != DType::boolean || !variable.values.empty()) continue;
    for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
      if (variable.shape[axis] == 1) continue;
      for (std::int64_t pattern = 0; pattern < kPatterns; ++pattern) {
        const auto step = static_cast<std::int64_t>(axis) * kPatterns + pattern;
        const std::uint64_t seed = pair_.seed_of(DrawKind::pattern, static_cast<std::uint64_t>(step));
        if (is_decided(special({DrawKind::pattern, seed, step, i}))) return Progress::decided;
      }
    }
  }
  return Progress::go_on;
}

Progress Draws::hidden_elements() {
  const std::vector<InputFacts>& inputs = pair_.model.inputs;
  const bool has_masks = std::any_of(inputs.begin(), inputs.end(), [](const InputFacts& facts) {
    return facts.domain.kind == Domain::Kind::masked && facts.variable->values.empty();
  });
  for (std::int64_t hiding = 0; has_masks && hiding < kHidings; ++hiding) {
    const std::uint64_t seed = pair_.seed_of(DrawKind::hidden, static_cast<std::uint64_t>(hiding));
    if (is_decided(special({DrawKind::hidden, seed, hiding}))) return Progress::decided;
  }
  return Progress::go_on;
}

Progress Draws::special() {
  bool is_left = true;
  for (std::uint64_t trial = 0; is_left && (trial == 0 || !pair_.is_enough()); ++trial) {
    is_left = false;
    for (const DrawKind kind : kSpecialDraws) {
      if (!is_wanted(kind, pair_, ways_.asks_order()) || trial >= seeds_of(kind, pair_.model)) continue;
      if (trial > 0 && pair_.is_enough()) continue;
      is_left = true;
      if (is_decided(special({kind, pair_.seed_of(kind, trial)}))) return Progress::decided;
    }
  }
  return Progress::go_on;
}

Progress Draws::special(const Draw& draw) {
  Comparison comparison(pair_.pair, pair_.model, draw, pair_.options, pair_.budget);
  std::map<std::string, std::size_t> done;
  std::vector<OutputPoint> compared;
  const std::vector<OutputPoint>& points = points_.list();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i >= 2 && pair_.is_enough()) break;
    const auto count = element_count(pair_.signature.find(points[i].output)->shape);
    const std::size_t most = count && *count <= kFewElements ? kFewElements : kSpecialPoints;
    if (done[points[i].output]++ >= most) continue;
    if (is_decided(findings_.compare(comparison, draw, points[i]))) return Progress::decided;
    compared.push_back(points[i]);
  }
  findings_.collect_outcomes(comparison);
  ways_.show_integers_at(compared, draw);
  return Progress::go_on;
}

Progress Draws::peaks() {
  if (!ways_.asks_order()) return Progress::go_on;
  constexpr std::uint64_t kMostOperations = 20'000'000;
  const std::uint64_t start = pair_.budget.operations;
  std::set<Coverage::Peak> wanted;
  for (Coverage* coverage : {&pair_.before_coverage, &pair_.after_coverage}) {
    for (Coverage::Peak& peak : coverage->peaks()) wanted.insert(std::move(peak));
  }
  for (const Coverage::Peak& peak : wanted) {
    for (const DrawKind kind : {DrawKind::peak, DrawKind::dip}) {
      if (start - pair_.budget.operations > kMostOperations) return Progress::go_on;
      points_.add(peak.point);
      if (!points_.contains(peak.point)) continue;
      const Draw draw{kind, pair_.seed_of(kind, 0), 0, peak.input, peak.position};
      Comparison comparison(pair_.pair, pair_.model, draw, pair_.options, pair_.budget);
      if (is_decided(findings_.compare(comparison, draw, peak.point))) return Progress::decided;
      findings_.collect_outcomes(comparison);
    }
  }
  return Progress::go_on;
}

Progress Draws::edges_of_data() {
  if (!ways_.asks_order()) return Progress::go_on;
  std::map<std::string, std::size_t> done;
  for (std::size_t i = 0; i < points_.list().size(); ++i) {
    const OutputPoint point = points_.list()[i];
    if (done[point.output]++ >= kEdgePoints) continue;
    for (std::uint64_t line = 0; line < kEdgeLines; ++line) {
      const std::uint64_t seed = pair_.seed_of(DrawKind::line, i * kEdgeLines + line);
      for (const Code* code : {&pair_.before, &pair_.after}) {
        if (is_decided(edge_of_data(*code, point, seed))) return Progress::decided;
      }
    }
  }
  return Progress::go_on;
}

Progress Draws::edge_of_data(const Code& code, const OutputPoint& point, std::uint64_t seed) {
  std::int64_t low = 0;
  std::int64_t high = kLineSteps;
  const std::uint64_t before = pair_.budget.operations;
  const auto way_at = [&](std::int64_t step) {
    return Comparison::path(code, pair_.model, {DrawKind::line, seed, step}, point, pair_.budget);
  };
  const auto start = way_at(low);
  // 40 such evaluations are not worth it.
  if (before - pair_.budget.operations > kEdgeOperations) return Progress::go_on;
  const auto end = way_at(high);
  if (!start || !end || start == end) return Progress::go_on;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto here = way_at(middle);
    if (!here) return Progress::go_on;
    (here == start ? low : high) = middle;
  }
  for (const std::int64_t step : {low, high}) {
    const Draw draw{DrawKind::line, seed, step};
    Comparison comparison(pair_.pair, pair_.model, draw, pair_.options, pair_.budget);
    if (is_decided(findings_.compare(comparison, draw, point))) return Progress::decided;
  }
  return Progress::go_on;
}

Progress Draws::make_solid() {
  const std::uint32_t trials = pair_.options.most_trials;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const std::vector<OutputPoint> left = findings_.thin_points();
    if (left.empty()) return Progress::go_on;
    for (const DrawKind kind : {DrawKind::generic, DrawKind::positive}) {
      if (is_decided(at_all(left, kind, trials + trial))) return Progress::decided;
    }
  }
  const std::vector<OutputPoint> left = findings_.thin_points();
  if (left.empty()) return Progress::go_on;
  return findings_.undecided(concat("before is finite at an element of ", left[0].output, " on special draws only"));
}

}  // namespace steptp::certify
