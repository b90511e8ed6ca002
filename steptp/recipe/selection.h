#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/random.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// The first choices of some sites, in order. A site has `.site`, and `make(site, choice)` makes what is answered.
template <typename Sites, typename Make>
[[nodiscard]] auto first_of(const Sites& sites, std::uint64_t limit, Make make) {
  std::vector<decltype(make(sites.front(), Choice{}))> out;
  for (const auto& entry : sites) {
    for (std::uint64_t i = 0; i < entry.site.count(); ++i) {
      if (out.size() == limit) return out;
      out.push_back(make(entry, entry.site.choice(i)));
    }
  }
  return out;
}

/// Different choices drawn with a seed: one of the groups of sites that belong together (`are_together(one, other)`
/// says so of neighbours), then one of its sites, then a choice, each equally likely, so that a parameter with many
/// values does not push the others out. All of them where there are fewer.
template <typename Sites, typename Together, typename Make>
[[nodiscard]] auto sample_of(const Sites& sites, std::uint64_t number, std::uint64_t seed, Together are_together,
                             Make make) {
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (groups.empty() || !are_together(sites[groups.back().first], sites[i])) groups.emplace_back(i, i);
    groups.back().second = i + 1;
    total = std::min(number, total + std::min(number, sites[i].site.count()));
  }
  if (total < number) return first_of(sites, number, make);
  std::vector<decltype(make(sites.front(), Choice{}))> out;
  std::set<std::pair<std::size_t, std::uint64_t>> taken;
  Random random(seed);
  while (out.size() < number) {
    const auto& [begin, end] = groups[random.below(groups.size())];
    const std::size_t at = begin + random.below(end - begin);
    const std::uint64_t which = random.below(sites[at].site.count());
    if (taken.emplace(at, which).second) out.push_back(make(sites[at], sites[at].site.choice(which)));
  }
  return out;
}

/// The values that each parameter can take at a site.
[[nodiscard]] Json domain_json(const ChoiceSite& site);

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
/// Different choices drawn with a seed by `sample_of`; sites of one strategy belong together.
[[nodiscard]] std::vector<StrategyChoice> sample_choices(const Choices& choices, std::uint64_t number,
                                                         std::uint64_t seed);

/// {"program","strategy","site","domain","count","extended"}
[[nodiscard]] Json to_json(const std::string& program, const StrategySite& site);
/// {"program","strategy","choice","extended"}
[[nodiscard]] Json to_json(const std::string& program, const StrategyChoice& choice);
/// {"program","strategy","refused":{...}}
[[nodiscard]] Json to_json(const std::string& program, const StrategyRefusal& refusal);

}  // namespace steptp
