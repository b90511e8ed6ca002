#include "steptp/certify/adversary.h"

#include <algorithm>
#include <map>
#include <utility>

namespace steptp::certify {

namespace {

constexpr std::uint64_t kMostMeasures = 1000;
constexpr std::uint64_t kUsualMeasures = 150;
/// With fewer inputs than this a search that finds nothing says nothing.
constexpr std::uint64_t kLeastMeasures = 40;
constexpr std::uint64_t kLessAtSecondLook = 5;
/// What an input costs besides its operations.
constexpr std::uint64_t kLeastCost = 30;
/// Operations after which no more than the usual number of inputs is tried.
constexpr std::uint64_t kEnoughWork = 150'000;
/// Besides, where conditions are seldom met.
constexpr std::uint64_t kWorkForConditions = 300'000;
/// Besides, of all magnitudes alike.
constexpr std::uint64_t kEvenDraws = 320;
constexpr std::uint64_t kWorkForEvenDraws = 150'000;
constexpr std::size_t kFewPoints = 2;
constexpr std::size_t kKept = 3;

}  // namespace

Adversary::Adversary(SafetyRun& run, CandidateMaker& maker, Budget& budget, std::uint64_t seed)
    : run_(run), maker_(maker), budget_(budget), random_(seed) {
  for (std::size_t i = 0; i < run.points.size(); ++i) (i < run.first_guide ? all_ : guides_).push_back(i);
}

SafetyMeasure Adversary::measure(const Candidate& candidate, const std::vector<std::size_t>& which) {
  const std::uint64_t left = budget_.operations;
  SafetyMeasure found = run_.measure(candidate, which, for_stability_);
  spent_ += std::max(left - budget_.operations, kLeastCost);
  if (!found.is_finished) {
    finding_.reason = found.unfinished_because;
    spent_ = std::max(spent_, allowed_);
    return found;
  }
  finding_.has_good_input = finding_.has_good_input || found.is_good();
  return found;
}

double Adversary::fitness(Goal goal, const SafetyMeasure& measure) const {
  constexpr double kNotGood = -1e6;
  if (!measure.is_good()) return kNotGood - measure.badness;
  switch (goal) {
    case Goal::loss: return measure.loss;
    case Goal::guide: {
      if (measure.guide <= RunEvents::kNever / 2) return RunEvents::kNever;
      // An error on the way is worth more where it comes through to an output.
      constexpr double kMost = 40;
      constexpr double kReached = 100;
      const bool is_reached = measure.loss > -kReached;
      return std::min(measure.guide, kMost) + (is_reached ? kReached + std::max(measure.loss, -kMost) : 0);
    }
    case Goal::overflow: return measure.after.overflow;
    case Goal::root: return measure.after.root_of_error;
    case Goal::branch: return measure.after.close_branch;
    case Goal::instability: return measure.instability;
  }
  return 0;
}

bool Adversary::is_fault(const SafetyMeasure& measure) const {
  if (!measure.is_good()) return false;
  return measure.has_event() || (for_stability_ ? measure.instability : measure.loss) > 0;
}

/// How many inputs the budget allows; fewer elements where they cost too much. False where not even a few can be run.
bool Adversary::estimate() {
  const Candidate first = maker_.starts().front();
  for (const std::uint64_t part : {8, 3}) {
    // The first input may take a part of all, and no more.
    const std::uint64_t share = budget_.operations / part;
    const std::uint64_t kept_back = budget_.operations - share;
    budget_.operations = share;
    const SafetyMeasure found = run_.measure(first, next_points(), for_stability_);
    const std::uint64_t cost = std::max(kLeastCost, share - budget_.operations);
    budget_.operations += kept_back;
    const std::uint64_t affordable = budget_.operations / (2 * cost);
    const bool is_least = all_.size() <= kFewPoints && guides_.empty();
    const std::uint64_t less = is_second_look_ || tries_hints_only_ ? kLessAtSecondLook : 1;
    if (found.is_finished && (affordable >= kLeastMeasures / less || is_least)) {
      const std::uint64_t wanted = std::clamp(kEnoughWork / less / cost, kUsualMeasures / less, kMostMeasures / less);
      const std::uint64_t usual = std::min(wanted, affordable);
      const std::uint64_t more =
          std::clamp(kWorkForConditions / less / cost, kUsualMeasures / 2 / less, kMostMeasures / less);
      cost_ = cost;
      allowed_ = usual * cost;
      allowed_for_conditions_ = std::min(more, affordable - usual) * cost;
      is_short_ = affordable < kLeastMeasures / less;
      return allowed_ > 0;
    }
    finding_.reason = found.unfinished_because;
    guides_.clear();
    if (all_.size() > kFewPoints) all_.erase(all_.begin(), all_.end() - static_cast<std::ptrdiff_t>(kFewPoints));
  }
  return false;
}

void Adversary::remember(const Candidate& candidate, const SafetyMeasure& measure) {
  for (const Goal goal : {Goal::loss, Goal::guide, Goal::overflow, Goal::root, Goal::branch, Goal::instability}) {
    const double value = fitness(goal, measure);
    if (value <= RunEvents::kNever / 2) continue;
    std::vector<Known>& list = best_[static_cast<std::size_t>(goal)];
    const auto place = std::find_if(list.begin(), list.end(),
                                    [&](const Known& known) { return value > fitness(goal, known.measure); });
    if (place == list.end() && list.size() >= kKept) continue;
    list.insert(place, {candidate, measure});
    if (list.size() > kKept) list.pop_back();
  }
}

Adversary::Progress Adversary::look_at(const Candidate& candidate, const SafetyMeasure& measure) {
  if (!is_fault(measure)) return is_spent() ? Progress::stop : Progress::go_on;
  if (collects_) {
    keep_fault(candidate, measure);
    return is_spent() ? Progress::stop : Progress::go_on;
  }
  // Another element may say that the input is not a good one.
  const SafetyMeasure confirmed = run_.measure(candidate, all_, for_stability_);
  if (!confirmed.is_finished || !is_fault(confirmed)) return is_spent() ? Progress::stop : Progress::go_on;
  finding_.fault = confirmed;
  finding_.at = candidate;
  return Progress::stop;
}

/// Inputs that were bad for a part of the programs, each at other elements: first at one, and at more where they cost
/// little.
Adversary::Progress Adversary::try_hints(const std::vector<Candidate>& hints) {
  const std::uint64_t until = allowed_ / 2;
  for (const bool is_wide : {false, true}) {
    for (const Candidate& hint : hints) {
      if (spent_ >= until) return Progress::go_on;
      const std::vector<std::size_t> which = is_wide ? all_ : std::vector<std::size_t>{next_point()};
      const SafetyMeasure found = measure(hint, which);
      if (!found.is_finished) return Progress::stop;
      remember(hint, found);
      if (look_at(hint, found) == Progress::stop) return Progress::stop;
    }
  }
  return Progress::go_on;
}

Adversary::Progress Adversary::draw(std::uint64_t until) {
  const std::vector<Candidate> starts = maker_.starts();
  for (std::size_t i = 0; spent_ < until; ++i) {
    const Candidate candidate = i < starts.size() ? starts[i] : maker_.drawn();
    const SafetyMeasure found = measure(candidate, next_points());
    if (!found.is_finished) return Progress::stop;
    remember(candidate, found);
    if (look_at(candidate, found) == Progress::stop) return Progress::stop;
  }
  return Progress::go_on;
}

std::size_t Adversary::next_point() {
  constexpr std::size_t kSeldom = 8;
  const std::size_t turn = turn_++;
  const bool has_both = !ways_.empty() && !same_ways_.empty();
  const auto& ways = ways_.empty() || (has_both && turn % kSeldom == kSeldom - 1) ? same_ways_ : ways_;
  if (ways.empty()) return all_[turn % all_.size()];
  const std::size_t number = &ways == &same_ways_ && has_both ? turn / kSeldom : turn;
  const std::vector<std::size_t>& way = ways[number % ways.size()];
  return way[number / ways.size() % way.size()];
}

void Adversary::find_ways() {
  // The way is that of one input, the same for all: what differs is what indices decide.
  const Candidate first = maker_.starts().front();
  if (all_.size() <= 1 || all_.size() * cost_ > allowed_ / 4) return;
  std::map<std::pair<bool, std::uint64_t>, std::vector<std::size_t>> by_way;
  for (const std::size_t point : all_) {
    const SafetyMeasure found = measure(first, {point});
    if (!found.is_finished) return;
    by_way[{found.is_same, found.path}].push_back(point);
  }
  for (const auto& [way, points] : by_way) (way.first ? same_ways_ : ways_).push_back(points);
}

Adversary::Progress Adversary::draw_evenly() {
  const std::uint64_t less = is_second_look_ ? kLessAtSecondLook : 1;
  const std::uint64_t until = spent_ + std::max(kWorkForEvenDraws / less, allowed_ / 3);
  for (std::uint64_t i = 0; i < kEvenDraws / less && spent_ < until; ++i) {
    const Candidate candidate = maker_.even();
    const SafetyMeasure found = measure(candidate, {next_point()});
    if (!found.is_finished) return Progress::stop;
    remember(candidate, found);
    if (look_at(candidate, found) == Progress::stop) return Progress::stop;
  }
  return Progress::go_on;
}

Adversary::Progress Adversary::draw_peaks() {
  constexpr std::size_t kPoints = 2;
  constexpr std::size_t kElements = 6;
  const std::uint64_t until = spent_ + std::max(kWorkForEvenDraws, allowed_) / 8;
  const Candidate ones = maker_.starts().front();
  for (std::size_t i = 0; i < kPoints; ++i) {
    const std::size_t point = next_point();
    const std::vector<InputRead> reads = run_.reads(ones, point, kMostReadsLooked);
    const std::size_t step = std::max<std::size_t>(1, reads.size() / kElements);
    for (std::size_t at = 0; at < reads.size(); at += step) {
      const InputRead& read = reads[reads.size() - 1 - at];
      if (!maker_.is_free(read.input)) continue;
      for (const double value : maker_.peaks(read.input)) {
        if (spent_ >= until) return Progress::go_on;
        Candidate candidate = ones;
        candidate.elements[{read.input, read.position}] = value;
        const SafetyMeasure found = measure(candidate, {point});
        if (!found.is_finished) return Progress::stop;
        remember(candidate, found);
        if (look_at(candidate, found) == Progress::stop) return Progress::stop;
      }
    }
  }
  return Progress::go_on;
}

std::vector<std::size_t> Adversary::next_points() {
  constexpr std::size_t kAtOnce = 4;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < std::min(kAtOnce, all_.size()); ++i) {
    const std::size_t point = next_point();
    if (std::find(out.begin(), out.end(), point) == out.end()) out.push_back(point);
  }
  if (!guides_.empty()) out.push_back(guides_[turn_ % guides_.size()]);
  return out;
}

std::vector<std::size_t> Adversary::some_points(Goal goal, std::size_t best) {
  std::vector<std::size_t> out = {best};
  const std::size_t other = all_[random_.below(all_.size())];
  if (other != best && random_.chance(1, 4)) out.push_back(other);
  if (goal == Goal::guide && !guides_.empty()) out.push_back(guides_[random_.below(guides_.size())]);
  return out;
}

Adversary::Progress Adversary::climb(Goal goal, Known from, std::uint64_t until) {
  const std::vector<std::size_t> which = some_points(goal, from.measure.point);
  const std::vector<InputRead> reads = run_.reads(from.candidate, from.measure.point, kMostReadsLooked);
  double height = fitness(goal, from.measure);
  while (spent_ < until) {
    Candidate next = from.candidate;
    maker_.change(next, reads);
    for (bool goes_on = true; goes_on && spent_ < until;) {
      const SafetyMeasure found = measure(next, which);
      if (!found.is_finished) return Progress::stop;
      if (look_at(next, found) == Progress::stop) return Progress::stop;
      const double value = fitness(goal, found);
      if (value < height) break;
      goes_on = value > height;
      from = {next, found};
      height = value;
      goes_on = goes_on && maker_.repeat(next);
    }
  }
  return Progress::go_on;
}

Adversary::Progress Adversary::climb_all(std::uint64_t until) {
  std::vector<std::pair<Goal, Known>> from;
  const std::vector<Goal> goals =
      for_stability_ ? std::vector<Goal>{Goal::instability}
                     : std::vector<Goal>{Goal::loss, Goal::guide, Goal::overflow, Goal::root, Goal::branch};
  for (std::size_t rank = 0; rank < kKept; ++rank) {
    for (const Goal goal : goals) {
      const std::vector<Known>& list = best_[static_cast<std::size_t>(goal)];
      // Digits are what is lost most often.
      if (rank < list.size() && (rank == 0 || goal == Goal::loss || goal == Goal::guide || for_stability_))
        from.emplace_back(goal, list[rank]);
    }
  }
  for (std::size_t i = 0; i < from.size() && spent_ < until; ++i) {
    const std::uint64_t share = (until - spent_) / (from.size() - i);
    if (climb(from[i].first, std::move(from[i].second), spent_ + share) == Progress::stop) return Progress::stop;
  }
  return Progress::go_on;
}

Adversary::Finding Adversary::run(const std::vector<Candidate>& hints) {
  if (all_.empty()) {
    finding_.is_finished = finding_.has_good_input = true;
    return finding_;
  }
  if (!estimate()) return finding_;
  // All starts, and as many drawn ones as a third allows.
  const std::uint64_t drawn = std::min(allowed_ * 2 / 3, std::max(allowed_ / 3, (maker_.starts().size() + 10) * cost_));
  find_ways();
  bool goes_on = try_hints(hints) == Progress::go_on;
  if (tries_hints_only_) {
    if (finding_.reason.empty()) finding_.reason = "only hints were tried";
    return finished();
  }
  allowed_ += spent_;
  if (goes_on) {
    const std::uint64_t before = spent_;
    goes_on = draw_peaks() == Progress::go_on && draw_evenly() == Progress::go_on;
    allowed_ += std::min(spent_ - before, 2 * kWorkForEvenDraws);
  }
  if (goes_on && draw(spent_ + drawn) == Progress::go_on) {
    if (!rare().empty()) allowed_ += allowed_for_conditions_;
    if (reach_outcomes(spent_ + allowed_for_conditions_) == Progress::go_on) {
      // Where no input was good so far, the climb is one towards good ones.
      static_cast<void>(climb_all(allowed_));
    }
  }
  return finished();
}

void Adversary::keep_fault(const Candidate& candidate, const SafetyMeasure& measure) {
  if (measure.has_event()) {
    if (events_.size() < kKept) events_.push_back({candidate, measure});
    return;
  }
  const auto place = std::find_if(losses_.begin(), losses_.end(),
                                  [&](const Known& known) { return measure.loss > known.measure.loss; });
  losses_.insert(place, {candidate, measure});
  if (losses_.size() > kKept) losses_.pop_back();
}

std::vector<Candidate> Adversary::faults() const {
  std::vector<Candidate> out;
  for (const std::vector<Known>* list : {&losses_, &events_}) {
    for (const Known& known : *list) out.push_back(known.candidate);
  }
  return out;
}

Adversary::Finding Adversary::finished() {
  if (is_short_ && finding_.reason.empty()) finding_.reason = "the budget of operations allows too few inputs";
  for (const std::vector<Known>* list : {&events_, &losses_}) {
    if (list->empty()) continue;
    finding_.fault = list->front().measure;
    finding_.at = list->front().candidate;
  }
  finding_.is_finished = finding_.fault.has_value() || finding_.reason.empty();
  return finding_;
}

Adversary::Finding Adversary::run_for_stability(const Candidate& from) {
  for_stability_ = true;
  finding_ = {};
  for (auto& list : best_) list.clear();
  spent_ = 0;
  if (!estimate()) return finding_;
  const SafetyMeasure found = measure(from, all_);
  if (found.is_finished) {
    remember(from, found);
    if (look_at(from, found) == Progress::go_on && draw(allowed_ / 3) == Progress::go_on) {
      static_cast<void>(climb_all(allowed_));
    }
  }
  return finished();
}

}  // namespace steptp::certify
