#include "steptp/dataset/sampling.h"

#include <algorithm>
#include <utility>

namespace steptp::dataset {

namespace {

/// Tries to find a choice that was not drawn before.
constexpr int kTries = 8;
/// Weights are drawn with as integers, so that every machine draws alike.
constexpr double kWeightScale = 1000;

std::uint64_t weight_of(const Strategy& strategy, const ByDifficulty& weights) {
  const std::string_view difficulty = strategy.difficulty();
  const double weight =
      difficulty == "difficult" ? weights.difficult : (difficulty == "medium" ? weights.medium : weights.easy);
  return static_cast<std::uint64_t>(weight * kWeightScale);
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
