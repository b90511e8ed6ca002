#include "steptp/dataset/sampling.h"

#include <algorithm>
#include <string_view>
#include <utility>

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

}  // namespace

ChoiceSampler::ChoiceSampler(const Choices& choices, const ByDifficulty& weights, std::uint64_t seed) : random_(seed) {
  for (const StrategySite& site : choices.sites) {
    const std::uint64_t weight = weight_of(*site.strategy, weights);
    if (weight == 0) continue;
    if (offers_.empty() || offers_.back().strategy != site.strategy) {
      offers_.push_back({site.strategy, {}, weight, {}, false});
    }
    offers_.back().sites.push_back(&site.site);
  }
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
    Choice choice = site.choice(random_.below(site.count()));
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
    if (auto choice = draw(*offer)) return choice;
  }
}

}  // namespace steptp::dataset
