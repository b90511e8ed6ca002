// How the adversary gets to inputs at which conditions, maxima and minima go a way that they seldom go.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "steptp/certify/adversary.h"

namespace steptp::certify {

double Adversary::distance(const std::vector<Outcome>& wanted, const SafetyMeasure& measure) const {
  constexpr double kMost = 300;
  double sum = std::min(measure.badness, kMost) * 0.1;
  for (const Outcome& one : wanted) {
    sum += std::min(run_.distance(run_.conditions()[one.condition], one.is_true), kMost);
  }
  return sum;
}

std::vector<Adversary::Outcome> Adversary::rare() const {
  constexpr std::size_t kSeldom = 8;
  std::vector<Outcome> out;
  for (std::size_t i = 0; i < run_.conditions().size(); ++i) {
    const SafetyRun::Condition& condition = run_.conditions()[i];
    const std::size_t all = condition.seen[0] + condition.seen[1];
    // A condition that was never met stands under another one, mostly for the sake of what is done where it holds.
    if (kSeldom * condition.seen[1] <= all) out.push_back({i, true});
    if (kSeldom * condition.seen[0] < all) out.push_back({i, false});
  }
  return out;
}

/// Inputs of which few elements are read come first, element by element: what a long sum reads is one coordinate.
std::vector<Adversary::Coordinate> Adversary::coordinates(const Candidate& at) {
  constexpr std::size_t kFew = 3;
  constexpr std::size_t kMost = 10;
  std::map<std::size_t, std::vector<std::int64_t>> by_input;
  for (const InputRead& read : run_.reads(at, focus_, kMostReadsLooked)) {
    if (maker_.is_free(read.input)) by_input[read.input].push_back(read.position);
  }
  std::vector<Coordinate> single;
  std::vector<Coordinate> out;
  for (const auto& [input, positions] : by_input) {
    if (positions.size() > kFew) out.push_back({input, std::nullopt});
    for (std::size_t i = 0; positions.size() <= kFew && i < positions.size(); ++i) {
      single.push_back({input, positions[i]});
    }
  }
  out.insert(out.begin(), single.begin(), single.end());
  if (out.size() > kMost) out.resize(kMost);
  return out;
}

void Adversary::set(Candidate& candidate, const Coordinate& coordinate, double value) const {
  const double legal = maker_.nearest_legal(coordinate.input, value);
  if (coordinate.position) {
    candidate.elements[{coordinate.input, *coordinate.position}] = legal;
    return;
  }
  std::erase_if(candidate.elements, [&](const auto& one) { return one.first.first == coordinate.input; });
  candidate.inputs[coordinate.input].value = legal;
}

Adversary::Progress Adversary::try_value(Search& search, const Coordinate& coordinate, double value, double& distance) {
  Candidate next = search.at;
  set(next, coordinate, value);
  const SafetyMeasure found = measure(next, {focus_});
  if (!found.is_finished || look_at(next, found) == Progress::stop) return Progress::stop;
  distance = this->distance(search.wanted, found);
  if (distance < search.best) {
    search.best = distance;
    search.at = std::move(next);
  }
  return Progress::go_on;
}

/// In equal steps of the logarithmic range, through the numbers that the programs mention, then closer and closer to
/// the best of these. An element that changes nothing at the ends of the range is left alone.
Adversary::Progress Adversary::search_along(Search& search, const Coordinate& coordinate) {
  constexpr std::size_t kProbes = 4;
  std::vector<double> values = maker_.ladder(coordinate.input);
  // The ends first.
  for (std::size_t i = 1; i < kProbes && i + 1 < values.size(); i += 2) std::swap(values[i], values[values.size() - i]);
  const std::vector<double> tries = maker_.tries({coordinate.input, coordinate.position.value_or(0), {}});
  values.insert(values.end(), tries.begin(), tries.end());
  const double start = search.best;
  bool matters = false;
  double best_value = 0;
  for (std::size_t i = 0; i < values.size() && search.best > 0; ++i) {
    if (spent_ >= search.until) return Progress::go_on;
    if (i == kProbes && !matters) return Progress::go_on;
    const double before = search.best;
    double now = 0;
    if (try_value(search, coordinate, values[i], now) == Progress::stop) return Progress::stop;
    matters = matters || now != start;
    if (search.best < before) best_value = values[i];
  }
  for (double step = 4; step > 0.05 && search.best > 0 && best_value != 0; step /= 2) {
    for (const double factor : {std::exp2(step), std::exp2(-step)}) {
      if (spent_ >= search.until) return Progress::go_on;
      const double before = search.best;
      double now = 0;
      if (try_value(search, coordinate, best_value * factor, now) == Progress::stop) return Progress::stop;
      if (search.best < before) best_value *= factor;
    }
  }
  return Progress::go_on;
}

Adversary::Progress Adversary::search_by_chance(Search& search) {
  const std::vector<InputRead> reads = run_.reads(search.at, focus_, kMostReadsLooked);
  while (spent_ < search.until && search.best > 0) {
    Candidate next = search.at;
    maker_.change(next, reads);
    for (bool goes_on = true; goes_on && spent_ < search.until;) {
      const SafetyMeasure found = measure(next, {focus_});
      if (!found.is_finished || look_at(next, found) == Progress::stop) return Progress::stop;
      const double now = distance(search.wanted, found);
      if (now > search.best) break;
      search.at = next;
      remember(next, found);
      goes_on = now < search.best && maker_.repeat(next);
      search.best = now;
    }
  }
  return Progress::go_on;
}

/// Towards inputs at which conditions have the wanted outcomes, all of them at one element.
Adversary::Progress Adversary::reach(const std::vector<Outcome>& wanted, std::uint64_t until) {
  constexpr int kSweeps = 3;
  Search search{wanted, spent_ < until ? spent_ + (until - spent_) * 2 / 3 : until, closest_.value_or(maker_.even()),
                0};
  const SafetyMeasure first = measure(search.at, {focus_});
  if (!first.is_finished) return Progress::stop;
  search.best = distance(wanted, first);
  for (int sweep = 0; sweep < kSweeps && search.best > 0 && spent_ < search.until; ++sweep) {
    const double before = search.best;
    // Behind a condition that holds now, other elements may be read.
    for (const Coordinate& coordinate : coordinates(search.at)) {
      if (search_along(search, coordinate) == Progress::stop) return Progress::stop;
    }
    if (search.best >= before) break;
  }
  search.until = until;
  if (search_by_chance(search) == Progress::stop) return Progress::stop;
  closest_ = search.at;
  // There at last, or as near as it gets: digits may be lost here and nowhere else.
  return search.best <= 0 ? climb(Goal::loss, {search.at, measure(search.at, {focus_})}, until) : Progress::go_on;
}

Adversary::Progress Adversary::reach_outcomes(std::uint64_t until) {
  constexpr std::size_t kRounds = 6;
  const std::vector<Outcome> all = rare();
  if (all.empty()) return Progress::go_on;
  // What is seldom drawn mostly belongs together: first all of it at one input, then parts.
  for (std::size_t round = 0; round < kRounds && spent_ < until; ++round) {
    std::vector<Outcome> wanted;
    for (const Outcome& one : all) {
      if (round < 2 || random_.chance(1, 2)) wanted.push_back(one);
    }
    focus_ = next_point();
    if (round % 2 == 1) closest_.reset();
    const std::uint64_t share = (until - spent_) / std::min<std::uint64_t>(kRounds - round, 3);
    if (reach(wanted, spent_ + share) == Progress::stop) return Progress::stop;
  }
  return Progress::go_on;
}

}  // namespace steptp::certify
