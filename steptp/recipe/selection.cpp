#include "steptp/recipe/selection.h"

#include <algorithm>
#include <set>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/recipe/facts_json.h"

namespace steptp {

Choices list_choices(const std::vector<const Strategy*>& strategies, View& view, bool extended, bool with_refusals) {
  Choices out;
  for (const Strategy* strategy : strategies) {
    Listing listing = list_choices(*strategy, view, extended, with_refusals);
    for (ChoiceSite& site : listing.sites) out.sites.push_back({strategy, std::move(site)});
    for (Refusal& refusal : listing.refusals) out.refusals.push_back({strategy, std::move(refusal)});
  }
  return out;
}

std::vector<StrategyChoice> first_choices(const Choices& choices, std::uint64_t limit) {
  std::vector<StrategyChoice> out;
  for (const StrategySite& entry : choices.sites) {
    for (std::uint64_t i = 0; i < entry.site.count(); ++i) {
      if (out.size() == limit) return out;
      out.push_back({entry.strategy, entry.site.choice(i), entry.site.extended});
    }
  }
  return out;
}

std::vector<StrategyChoice> sample_choices(const Choices& choices, std::uint64_t number, std::uint64_t seed) {
  std::vector<std::pair<std::size_t, std::size_t>> groups;  // sites of one strategy stand together
  for (std::size_t i = 0; i < choices.sites.size(); ++i) {
    if (groups.empty() || choices.sites[groups.back().first].strategy != choices.sites[i].strategy) {
      groups.emplace_back(i, i);
    }
    groups.back().second = i + 1;
  }
  std::uint64_t total = 0;
  for (const StrategySite& entry : choices.sites) {
    total = std::min(number, total + std::min(number, entry.site.count()));
  }
  if (total < number) return first_choices(choices, number);  // all of them
  std::vector<StrategyChoice> out;
  std::set<std::pair<std::size_t, std::uint64_t>> taken;
  Random random(seed);
  while (out.size() < number) {
    const auto& [begin, end] = groups[random.below(groups.size())];
    const std::size_t at = begin + random.below(end - begin);
    const StrategySite& entry = choices.sites[at];
    const std::uint64_t which = random.below(entry.site.count());
    if (taken.emplace(at, which).second) {
      out.push_back({entry.strategy, entry.site.choice(which), entry.site.extended});
    }
  }
  return out;
}

Json to_json(const std::string& program, const StrategySite& entry) {
  Json domain{Json::Object{}};
  for (const ParameterDomain& parameter : entry.site.parameters) domain.set(parameter.name, parameter.to_json());
  Json out;
  out.set("program", program).set("strategy", entry.strategy->name).set("site", to_text(entry.site.at));
  return out.set("domain", std::move(domain)).set("count", entry.site.count()).set("extended", entry.site.extended);
}

Json to_json(const std::string& program, const StrategyChoice& entry) {
  Json out;
  out.set("program", program).set("strategy", entry.strategy->name).set("choice", entry.choice.to_json());
  return out.set("extended", entry.extended);
}

Json to_json(const std::string& program, const StrategyRefusal& entry) {
  Json out;
  out.set("program", program).set("strategy", entry.strategy->name);
  return out.set("refused", to_json(entry.refusal));
}

}  // namespace steptp
