#include "steptp/dataset/sampling.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "steptp/recipe/measurements.h"

namespace steptp::dataset {

namespace {

/// Tries to find a choice that was not drawn before.
constexpr int kTries = 8;
/// Weights are drawn with as integers, so that every machine draws alike.
constexpr double kWeightScale = 1e6;
/// However rare a strategy is, chance has a say.
constexpr double kMostLikely = 0.9;

/// The share of program types on which a strategy is feasible, at least one type.
double feasible_share(const Strategy& strategy) {
  const StrategyMeasurements& measured = measured_strategies();
  const StrategyMeasurement* row = measured.find(strategy.name);
  const std::size_t types = row ? row->types.size() : 0;
  return static_cast<double>(std::max<std::size_t>(1, types)) /
         static_cast<double>(std::max<std::size_t>(1, measured.zoo.size()));
}

/// A strategy that few programs offer has to be taken where it is offered, to be seen as often as the others.
std::uint64_t weight_of(const Strategy& strategy, const ByDifficulty& weights) {
  const std::string_view difficulty = strategy.difficulty();
  const double of_hundred =
      difficulty == "difficult" ? weights.difficult : (difficulty == "medium" ? weights.medium : weights.easy);
  const double chance = std::min(kMostLikely, of_hundred / 100 / feasible_share(strategy));
  return static_cast<std::uint64_t>(kWeightScale * chance / (1 - chance));
}

/// One draw of so many takes any number.
constexpr std::uint64_t kAnyNumber = 8;
/// Domains of no more values are drawn from alike.
constexpr std::uint64_t kFewValues = 4;

/// The extent of the loop at an address; 0 where it is no loop.
std::int64_t extent_at(const Program& program, const Site& at) {
  const SitePart part = resolve(program.nests, at);
  const auto* loop = std::get_if<const Loop*>(&part);
  return loop ? (*loop)->extent : 0;
}

/// Binding, unrolling and the like of a loop that runs once.
bool is_idle(const Strategy& strategy, const ChoiceSite& site, const Program& program) {
  constexpr std::string_view kKinds[] = {"loop_binding", "loop_parallelization", "loop_unrolling", "loop_vectorization",
                                         "reduction_factorization"};
  const bool changes_kind = std::find(std::begin(kKinds), std::end(kKinds), strategy.name) != std::end(kKinds);
  return changes_kind && extent_at(program, site.at) == 1;
}

bool holds(const ParameterDomain& domain, std::int64_t number) {
  if (const auto* range = std::get_if<IntegerRange>(&domain.values)) {
    return number >= range->low && number <= range->high &&
           !std::binary_search(range->except.begin(), range->except.end(), number);
  }
  const auto* list = std::get_if<std::vector<std::int64_t>>(&domain.values);
  return list && std::binary_search(list->begin(), list->end(), number);
}

/// What a person would choose from many numbers: powers of two that divide the extent of the loop; else its divisors
/// and its half; else powers of two. Nothing where the domain has few values, or words.
std::vector<std::int64_t> preferred_numbers(const ParameterDomain& domain, std::int64_t extent) {
  constexpr std::int64_t kLargest = 1024;
  constexpr std::int64_t kLargestDivisor = 64;
  if (std::holds_alternative<std::vector<std::string>>(domain.values) || domain.count() <= kFewValues) return {};
  std::vector<std::int64_t> dividing;
  std::vector<std::int64_t> powers;
  for (std::int64_t power = 2; power <= kLargest; power *= 2) {
    if (!holds(domain, power)) continue;
    powers.push_back(power);
    if (extent > power && extent % power == 0) dividing.push_back(power);
  }
  if (dividing.size() > 1) return dividing;
  for (std::int64_t divisor = 3; divisor <= std::min(kLargestDivisor, extent / 2); ++divisor) {
    const bool is_power = (divisor & (divisor - 1)) == 0;
    if (!is_power && extent % divisor == 0 && holds(domain, divisor)) dividing.push_back(divisor);
  }
  if (extent > 3 && extent % 2 == 0 && extent / 2 > kLargest && holds(domain, extent / 2))
    dividing.push_back(extent / 2);
  return dividing.empty() ? powers : dividing;
}

}  // namespace

ChoiceSampler::ChoiceSampler(const Choices& choices, const ByDifficulty& weights, std::uint64_t seed,
                             const Program* useful_on)
    : random_(seed), useful_on_(useful_on) {
  for (const StrategySite& site : choices.sites) {
    if (useful_on_ != nullptr && is_idle(*site.strategy, site.site, *useful_on_)) continue;
    const std::uint64_t weight = weight_of(*site.strategy, weights);
    if (weight == 0) continue;
    if (offers_.empty() || offers_.back().strategy != site.strategy) {
      offers_.push_back({site.strategy, {}, weight, {}, false});
    }
    offers_.back().sites.push_back(&site.site);
  }
}

Choice ChoiceSampler::choice_at(const ChoiceSite& site, bool prefers) {
  if (!prefers) return site.choice(random_.below(site.count()));
  Choice out{site.at, {}};
  for (const ParameterDomain& domain : site.parameters) {
    const std::vector<std::int64_t> numbers = preferred_numbers(domain, extent_at(*useful_on_, site.at));
    out.values.emplace_back(std::string(domain.name), numbers.empty() ? domain.value(random_.below(domain.count()))
                                                                      : Json(numbers[random_.below(numbers.size())]));
  }
  return out;
}

void ChoiceSampler::shuffle() {
  std::vector<Offer*> left;
  std::uint64_t sum = 0;
  for (Offer& offer : offers_) {
    if (offer.is_exhausted) continue;
    left.push_back(&offer);
    sum += offer.weight;
  }
  while (!left.empty()) {
    std::uint64_t at = random_.below(sum);
    auto chosen = left.begin();
    while (at >= (*chosen)->weight) at -= (*chosen++)->weight;
    sum -= (*chosen)->weight;
    round_.push_back(*chosen);
    left.erase(chosen);
  }
  std::reverse(round_.begin(), round_.end());
}

std::optional<StrategyChoice> ChoiceSampler::draw(Offer& offer) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const ChoiceSite& site = *offer.sites[random_.below(offer.sites.size())];
    // Where the likely ones are used up, any will do.
    const bool prefers = useful_on_ != nullptr && attempt < kTries / 2 && !random_.chance(1, kAnyNumber);
    Choice choice = choice_at(site, prefers);
    if (!offer.taken.insert(choice.to_json().dump()).second) continue;
    return StrategyChoice{offer.strategy, std::move(choice), site.extended};
  }
  offer.is_exhausted = true;
  return std::nullopt;
}

std::optional<StrategyChoice> ChoiceSampler::next() {
  while (true) {
    if (round_.empty()) shuffle();
    if (round_.empty()) return std::nullopt;
    Offer* offer = round_.back();
    round_.pop_back();
    last_ = offer;
    if (auto choice = draw(*offer)) return choice;
  }
}

std::optional<StrategyChoice> ChoiceSampler::another() {
  return last_ == nullptr || last_->is_exhausted ? std::nullopt : draw(*last_);
}

}  // namespace steptp::dataset
