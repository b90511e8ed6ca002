// At which inputs they are looked at.
#include <algorithm>
#include <iterator>

#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/certify/judge.h"

namespace steptp::certify {

namespace {

/// Seeds of each special draw: in a single one, chance may hide what the draw is for.
constexpr std::uint64_t kSpecialSeeds = 3;
/// Elements of each output, and lines through the inputs of each, along which changes of way are looked for.
constexpr std::size_t kEdgePoints = 3;
constexpr std::uint64_t kEdgeLines = 2;
constexpr std::uint64_t kEdgeOperations = 20'000;
/// Special draws of integers at which every way of the reals is looked at.
constexpr std::uint64_t kIntegerDraws = 48;

}  // namespace

bool Judge::has_integer_inputs() const {
  return std::any_of(model_.inputs.begin(), model_.inputs.end(),
                     [](const InputFacts& facts) { return !is_float(facts.variable->dtype); });
}

bool Judge::has_free_integers() const {
  return std::any_of(model_.inputs.begin(), model_.inputs.end(), [](const InputFacts& facts) {
    return !is_float(facts.variable->dtype) && facts.variable->values.empty();
  });
}

std::uint64_t Judge::seed_of(DrawKind kind, std::uint64_t trial) const {
  return combine(combine(mix(options_.seed), static_cast<Hash>(kind)), trial);
}

bool Judge::needs_more(const OutputPoint& point) const {
  const auto at = bounds_.find(point);
  return at != bounds_.end() && at->second > options_.bound_log2;
}

bool Judge::generic_trials() {
  const std::uint32_t least = least_trials();
  for (std::uint32_t trial = 0; trial < std::max(least, options_.most_trials); ++trial) {
    if (trial >= options_.most_trials && is_enough()) break;
    const Draw draw{DrawKind::generic, seed_of(DrawKind::generic, trial)};
    Comparison comparison(pair_, model_, draw, options_, budget_);
    const bool late = trial >= least;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (i >= required_ && is_enough()) break;
      if (late && !needs_more(points_[i])) continue;
      if (!look(comparison, draw, points_[i])) return false;
    }
    comparison.collect_outcomes(seen_before_, seen_after_);
    converts_alike_ = converts_alike_ && comparison.converts_alike();
    if (trial + 1 >= least &&
        std::none_of(points_.begin(), points_.end(), [this](const OutputPoint& point) { return needs_more(point); })) {
      return true;
    }
  }
  return true;
}

std::uint32_t Judge::least_trials() const {
  constexpr std::uint32_t kTrialsOfIntegers = 40;
  return has_free_integers() ? std::max(kTrialsOfIntegers, options_.trials) : options_.trials;
}

bool Judge::is_wanted(DrawKind kind) const {
  const bool has_order = asks_order();
  switch (kind) {
    case DrawKind::generic:
    case DrawKind::line: return true;
    case DrawKind::zeros:
      return has_order || before_.has_divisions || after_.has_divisions || before_.has_functions ||
             after_.has_functions;
    case DrawKind::thresholds: return has_order || before_.has_divisions || after_.has_divisions;
    case DrawKind::huge: return has_order || before_.has_roots || after_.has_roots;
    case DrawKind::positive:
    case DrawKind::negative:
    case DrawKind::ties:
    case DrawKind::large:
    case DrawKind::wide:
    case DrawKind::tiny:
    case DrawKind::below:
    case DrawKind::above:
    case DrawKind::rising:
    case DrawKind::falling: return has_order;
    // Where ways are missing, where there are peaks, and for `safe`.
    case DrawKind::solved:
    case DrawKind::peak:
    case DrawKind::dip:
    case DrawKind::masked_first:
    case DrawKind::masked:
    case DrawKind::hidden:
    case DrawKind::pattern: return false;
    case DrawKind::first_index:
    case DrawKind::last_index: return has_integer_inputs();
  }
  return true;
}

bool Judge::bools_of_one_kind() {
  // A row that is masked whole takes few operations, because branches that are not taken are not evaluated. What does
  // take many is left to the other looks.
  constexpr std::uint64_t kMostOperations = 2'000'000;
  for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
    const Variable& variable = *model_.inputs[i].variable;
    if (variable.dtype != DType::boolean || !variable.values.empty()) continue;
    for (const std::int64_t pattern : {kAllTrue, kAllFalse}) {
      const Draw draw{DrawKind::pattern, seed_of(DrawKind::pattern, static_cast<std::uint64_t>(pattern)), pattern, i};
      Budget few{kMostOperations, budget_.bytes, budget_.stop};
      Comparison comparison(pair_, model_, draw, options_, few);
      for (std::size_t point = 0; point < std::min<std::size_t>(points_.size(), 2); ++point) {
        const PointAnswer found = comparison.at(points_[point]);
        if (found.kind != PointAnswer::Kind::differs && found.kind != PointAnswer::Kind::undefined) continue;
        differs(comparison, draw, points_[point], found);
        return false;
      }
    }
  }
  return true;
}

bool Judge::patterns_of_bools() {
  for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
    const Variable& variable = *model_.inputs[i].variable;
    if (variable.dtype != DType::boolean || !variable.values.empty()) continue;
    for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
      if (variable.shape[axis] == 1) continue;
      for (std::int64_t pattern = 0; pattern < kPatterns; ++pattern) {
        const auto step = static_cast<std::int64_t>(axis) * kPatterns + pattern;
        const Draw draw{DrawKind::pattern, seed_of(DrawKind::pattern, static_cast<std::uint64_t>(step)), step, i};
        if (!special_draw(draw)) return false;
      }
    }
  }
  return true;
}

bool Judge::hidden_elements() {
  const bool has_masks = std::any_of(model_.inputs.begin(), model_.inputs.end(), [](const InputFacts& facts) {
    return facts.domain.kind == Domain::Kind::masked && facts.variable->values.empty();
  });
  for (std::int64_t hiding = 0; has_masks && hiding < kHidings; ++hiding) {
    if (!special_draw({DrawKind::hidden, seed_of(DrawKind::hidden, static_cast<std::uint64_t>(hiding)), hiding}))
      return false;
  }
  return true;
}

bool Judge::make_solid() {
  for (std::uint64_t trial = 0; trial < options_.most_trials; ++trial) {
    std::vector<OutputPoint> left;
    std::set_difference(thin_points_.begin(), thin_points_.end(), solid_points_.begin(), solid_points_.end(),
                        std::back_inserter(left));
    if (left.empty()) return true;
    if (!look_at_all(left, DrawKind::generic, options_.most_trials + trial)) return false;
    if (!look_at_all(left, DrawKind::positive, options_.most_trials + trial)) return false;
  }
  for (const OutputPoint& point : thin_points_) {
    if (solid_points_.contains(point)) continue;
    undecided(concat("before is finite at an element of ", point.output, " on special draws only"));
    return false;
  }
  return true;
}

bool Judge::edges_of_data() {
  if (!asks_order()) return true;
  std::map<std::string, std::size_t> done;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const OutputPoint point = points_[i];
    if (done[point.output]++ >= kEdgePoints) continue;
    for (std::uint64_t line = 0; line < kEdgeLines; ++line) {
      for (const Code* code : {&before_, &after_}) {
        if (!edge_of_data(*code, point, seed_of(DrawKind::line, i * kEdgeLines + line))) return false;
      }
    }
  }
  return true;
}

bool Judge::edge_of_data(const Code& code, const OutputPoint& point, std::uint64_t seed) {
  std::int64_t low = 0;
  std::int64_t high = kLineSteps;
  const std::uint64_t before = budget_.operations;
  const auto at = [&](std::int64_t step) {
    return Comparison::path(code, model_, {DrawKind::line, seed, step}, point, budget_);
  };
  const auto start = at(low);
  if (before - budget_.operations > kEdgeOperations) return true;  // 40 such evaluations are not worth it
  const auto end = at(high);
  if (!start || !end || start == end) return true;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto here = at(middle);
    if (!here) return true;
    (here == start ? low : high) = middle;
  }
  for (const std::int64_t step : {low, high}) {
    const Draw draw{DrawKind::line, seed, step};
    Comparison comparison(pair_, model_, draw, options_, budget_);
    if (!look(comparison, draw, point)) return false;
  }
  return true;
}

std::uint64_t Judge::seeds_of(DrawKind kind) const {
  constexpr std::uint64_t kSeedsOfAThreshold = 12;
  constexpr std::uint64_t kSeedsOfTies = 64;
  constexpr std::uint64_t kMost = 96;
  if (kind == DrawKind::zeros) return 1;
  if (kind == DrawKind::ties) return kSeedsOfTies;
  if (kind != DrawKind::thresholds) return kSpecialSeeds;
  return std::clamp<std::uint64_t>(kSeedsOfAThreshold * model_.thresholds.size(), kSpecialSeeds, kMost);
}

bool Judge::special_draws() {
  bool is_left = true;
  for (std::uint64_t trial = 0; is_left && (trial == 0 || !is_enough()); ++trial) {
    is_left = false;
    for (const DrawKind kind : kSpecialDraws) {
      if (!is_wanted(kind) || trial >= seeds_of(kind) || (trial > 0 && is_enough())) continue;
      is_left = true;
      if (!special_draw({kind, seed_of(kind, trial)})) return false;
    }
  }
  return true;
}

bool Judge::special_draw(const Draw& draw) {
  Comparison comparison(pair_, model_, draw, options_, budget_);
  std::map<std::string, std::size_t> done;
  std::vector<OutputPoint> looked;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (i >= 2 && is_enough()) break;
    const auto count = element_count(signature_.find(points_[i].output)->shape);
    const std::size_t most = count && *count <= kFewElements ? kFewElements : kSpecialPoints;
    if (done[points_[i].output]++ >= most) continue;
    if (!look(comparison, draw, points_[i])) return false;
    looked.push_back(points_[i]);
  }
  comparison.collect_outcomes(seen_before_, seen_after_);
  if (is_shown_ && draws_integers() && integer_draws_++ < kIntegerDraws) show_at(looked, draw);
  return true;
}

bool Judge::peaks() {
  if (!asks_order()) return true;
  constexpr std::uint64_t kMostOperations = 20'000'000;
  const std::uint64_t start = budget_.operations;
  std::set<Coverage::Peak> wanted;
  for (Coverage* coverage : {&before_coverage_, &after_coverage_}) {
    for (Coverage::Peak& peak : coverage->peaks()) wanted.insert(std::move(peak));
  }
  for (const Coverage::Peak& peak : wanted) {
    for (const DrawKind kind : {DrawKind::peak, DrawKind::dip}) {
      if (start - budget_.operations > kMostOperations) return true;
      add_point(peak.point);
      if (!known_points_.contains(peak.point)) continue;
      const Draw draw{kind, seed_of(kind, 0), 0, peak.input, peak.position};
      Comparison comparison(pair_, model_, draw, options_, budget_);
      if (!look(comparison, draw, peak.point)) return false;
      comparison.collect_outcomes(seen_before_, seen_after_);
    }
  }
  return true;
}

}  // namespace steptp::certify
