#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/dataset/configuration.h"
#include "steptp/recipe/selection.h"

namespace steptp::dataset {

/// Draws the choices of one state without repetition: strategy by strategy in a random order, each strategy once, then
/// all of them once more, and so on. Those come earlier that are wanted more often (the weights: entries of each
/// strategy of a class for every hundred programs) and that few programs offer. A strategy with many sites does not
/// push out those with few.
class ChoiceSampler {
 public:
  /// With a program, numbers that a person would choose come first, and loops of one iteration are left alone.
  ChoiceSampler(const Choices& choices, const ByDifficulty& weights, std::uint64_t seed,
                const Program* useful_on = nullptr);

  /// Nothing where there is no further choice.
  [[nodiscard]] std::optional<StrategyChoice> next();
  /// Another one of the strategy that was drawn last; nothing where it has no further choice.
  [[nodiscard]] std::optional<StrategyChoice> another();

 private:
  struct Offer {
    const Strategy* strategy = nullptr;
    std::vector<const ChoiceSite*> sites;
    std::uint64_t weight = 0;
    std::set<std::string> taken;
    bool is_exhausted = false;
  };

  void shuffle();
  [[nodiscard]] std::optional<StrategyChoice> draw(Offer& offer);

  /// `prefers`: numbers that a person would choose.
  [[nodiscard]] Choice choice_at(const ChoiceSite& site, bool prefers);

  Random random_;
  const Program* useful_on_;
  std::vector<Offer> offers_;
  std::vector<Offer*> round_;  ///< what is left of this round, the next one last
  Offer* last_ = nullptr;      ///< that was drawn
};

}  // namespace steptp::dataset
