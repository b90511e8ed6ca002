#include "steptp/plans/listing.h"

#include <algorithm>
#include <set>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/recipe/facts_json.h"

namespace steptp {

MoveChoices list_choices(const std::vector<const Move*>& moves, View& view, bool with_refusals) {
  MoveChoices out;
  for (const Move* move : moves) {
    Listing listing = list_choices(*move, view, with_refusals);
    for (ChoiceSite& site : listing.sites) out.sites.push_back({move, std::move(site)});
    for (Refusal& refusal : listing.refusals) out.refusals.push_back({move, std::move(refusal)});
  }
  return out;
}

std::vector<MoveChoice> first_choices(const MoveChoices& choices, std::uint64_t limit) {
  std::vector<MoveChoice> out;
  for (const MoveSite& entry : choices.sites) {
    for (std::uint64_t i = 0; i < entry.site.count(); ++i) {
      if (out.size() == limit) return out;
      out.push_back({entry.move, entry.site.choice(i)});
    }
  }
  return out;
}

std::vector<MoveChoice> sample_choices(const MoveChoices& choices, std::uint64_t number, std::uint64_t seed) {
  std::vector<std::pair<std::size_t, std::size_t>> groups;  // sites of one move stand together
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < choices.sites.size(); ++i) {
    if (groups.empty() || choices.sites[groups.back().first].move != choices.sites[i].move) groups.emplace_back(i, i);
    groups.back().second = i + 1;
    total = std::min(number, total + std::min(number, choices.sites[i].site.count()));
  }
  if (total < number) return first_choices(choices, number);  // all of them
  std::vector<MoveChoice> out;
  std::set<std::pair<std::size_t, std::uint64_t>> taken;
  Random random(seed);
  while (out.size() < number) {
    const auto& [begin, end] = groups[random.below(groups.size())];
    const std::size_t at = begin + random.below(end - begin);
    const MoveSite& entry = choices.sites[at];
    const std::uint64_t which = random.below(entry.site.count());
    if (taken.emplace(at, which).second) out.push_back({entry.move, entry.site.choice(which)});
  }
  return out;
}

Json to_json(const std::string& program, const MoveSite& entry) {
  Json domain{Json::Object{}};
  for (const ParameterDomain& parameter : entry.site.parameters) domain.set(parameter.name, parameter.to_json());
  Json out;
  out.set("program", program).set("move", entry.move->name).set("site", to_text(entry.site.at));
  return out.set("domain", std::move(domain)).set("count", entry.site.count());
}

Json to_json(const std::string& program, const MoveChoice& entry) {
  Json out;
  return out.set("program", program).set("move", entry.move->name).set("choice", entry.choice.to_json());
}

Json to_json(const std::string& program, const MoveNotMade& entry) {
  Json out;
  out.set("program", program).set("move", entry.move->name);
  return out.set("refused", to_json(entry.refusal));
}

Json to_json(const PlannedMove& made, const Program& before, const Moved& moved) {
  Json::Array facts;
  Program program = before;
  for (std::size_t i = 0; i < moved.recipe.size(); ++i) {
    const auto next = replay(program, Recipe{moved.recipe[i]});
    facts.push_back(to_json(moved.facts[i], program, next->program));
    program = next->program;
  }
  Json out;
  out.set("step", to_json(made)).set("recipe", to_json(moved.recipe)).set("facts", std::move(facts));
  return out.set("map", moved.map.to_json());
}

Json to_json(const MoveRefusal& refusal) {
  Json out = to_json(refusal.refusal);
  return out.set("steps", *to_json(refusal.steps).find("steps"));
}

}  // namespace steptp
