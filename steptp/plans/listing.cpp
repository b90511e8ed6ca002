#include "steptp/plans/listing.h"

#include <utility>

#include "steptp/base/text.h"
#include "steptp/recipe/facts_json.h"
#include "steptp/recipe/selection.h"

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

namespace {

MoveChoice choice_at(const MoveSite& entry, Choice choice) { return {entry.move, std::move(choice)}; }

}  // namespace

std::vector<MoveChoice> first_choices(const MoveChoices& choices, std::uint64_t limit) {
  return first_of(choices.sites, limit, choice_at);
}

std::vector<MoveChoice> sample_choices(const MoveChoices& choices, std::uint64_t number, std::uint64_t seed) {
  const auto are_together = [](const MoveSite& one, const MoveSite& other) { return one.move == other.move; };
  return sample_of(choices.sites, number, seed, are_together, choice_at);
}

Json to_json(const std::string& program, const MoveSite& entry) {
  Json out;
  out.set("program", program).set("move", entry.move->name).set("site", to_text(entry.site.at));
  return out.set("domain", domain_json(entry.site)).set("count", entry.site.count());
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

Json added_json(const HandleMap& map) {
  Json::Array out;
  for (const Site& site : map.added()) out.push_back(to_text(site));
  return out;
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
  return out.set("map", moved.map.to_json()).set("added", added_json(moved.map));
}

Json to_json(const MoveRefusal& refusal) {
  Json out = to_json(refusal.refusal);
  return out.set("steps", *to_json(refusal.steps).find("steps"));
}

}  // namespace steptp
