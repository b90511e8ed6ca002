#include "steptp/recipe/selection.h"

#include <utility>

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

namespace {

StrategyChoice choice_at(const StrategySite& entry, Choice choice) {
  return {entry.strategy, std::move(choice), entry.site.extended};
}

}  // namespace

std::vector<StrategyChoice> first_choices(const Choices& choices, std::uint64_t limit) {
  return first_of(choices.sites, limit, choice_at);
}

std::vector<StrategyChoice> sample_choices(const Choices& choices, std::uint64_t number, std::uint64_t seed) {
  const auto are_together = [](const StrategySite& one, const StrategySite& other) {
    return one.strategy == other.strategy;
  };
  return sample_of(choices.sites, number, seed, are_together, choice_at);
}

Json domain_json(const ChoiceSite& site) {
  Json domain{Json::Object{}};
  for (const ParameterDomain& parameter : site.parameters) domain.set(parameter.name, parameter.to_json());
  return domain;
}

Json to_json(const std::string& program, const StrategySite& entry) {
  Json out;
  out.set("program", program).set("strategy", entry.strategy->name).set("site", to_text(entry.site.at));
  return out.set("domain", domain_json(entry.site))
      .set("count", entry.site.count())
      .set("extended", entry.site.extended);
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
