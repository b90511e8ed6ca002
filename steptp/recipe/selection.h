#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// A site of a strategy, and a step that could be made.
struct StrategySite {
  const Strategy* strategy = nullptr;
  ChoiceSite site;
};
struct StrategyChoice {
  const Strategy* strategy = nullptr;
  Choice choice;
  bool extended = false;
};
struct StrategyRefusal {
  const Strategy* strategy = nullptr;
  Refusal refusal;
};

/// What several strategies find in one program, in the order of the strategies.
struct Choices {
  std::vector<StrategySite> sites;
  std::vector<StrategyRefusal> refusals;
};
[[nodiscard]] Choices list_choices(const std::vector<const Strategy*>& strategies, View& view, bool extended,
                                   bool with_refusals = false);

/// The first choices, in order.
[[nodiscard]] std::vector<StrategyChoice> first_choices(const Choices& choices, std::uint64_t limit);
/// Different choices drawn with a seed: a strategy that has any, then one of its sites, then a choice, each equally
/// likely, so that a parameter with many values does not push the others out. Fewer where there are not so many.
[[nodiscard]] std::vector<StrategyChoice> sample_choices(const Choices& choices, std::uint64_t number,
                                                         std::uint64_t seed);

/// {"program","strategy","site","domain","count","extended"}
[[nodiscard]] Json to_json(const std::string& program, const StrategySite& site);
/// {"program","strategy","choice","extended"}
[[nodiscard]] Json to_json(const std::string& program, const StrategyChoice& choice);
/// {"program","strategy","refused":{...}}
[[nodiscard]] Json to_json(const std::string& program, const StrategyRefusal& refusal);

}  // namespace steptp
