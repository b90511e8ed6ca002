#include "steptp/recipe/recipe.h"

#include <algorithm>

#include "steptp/base/edit_distance.h"
#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"

namespace steptp {

namespace {

Result<Step, std::string> step_from_json(const Json& json) {
  const Json* name = json.find("strategy");
  if (!name || !name->as_string()) return std::string("the key \"strategy\" is missing or no string");
  const Json* choice = json.find("choice");
  if (!choice) return std::string("the key \"choice\" is missing");
  auto read = choice_from_json(*choice);
  if (!read) return read.error();
  if (!find_strategy(*name->as_string())) return unknown_strategy(*name->as_string());
  return Step{*name->as_string(), std::move(read).value()};
}

}  // namespace

std::string unknown_strategy(std::string_view name) {
  std::string_view meant;
  std::size_t least = name.size() / 2 + 1;
  for (const Strategy* strategy : all_strategies()) {
    const std::size_t distance = edit_distance(name, strategy->name);
    if (distance >= least) continue;
    least = distance;
    meant = strategy->name;
  }
  std::string out = concat("unknown strategy '", name, "'");
  if (!meant.empty()) append(out, "; did you mean ", meant, "?");
  return out;
}

Json to_json(const Step& step) {
  Json out;
  return out.set("strategy", step.strategy).set("choice", step.choice.to_json());
}

Json to_json(const Recipe& recipe) {
  Json::Array steps;
  for (const Step& step : recipe) steps.push_back(to_json(step));
  Json out;
  return out.set("steps", std::move(steps));
}

Result<Recipe, std::string> recipe_from_json(const Json& json) {
  const Json* list = json.as_array() ? &json : json.find("steps");
  if (!list || !list->as_array()) return std::string("a recipe is an object with an array \"steps\", or that array");
  Recipe recipe;
  for (const Json& entry : *list->as_array()) {
    auto step = step_from_json(entry);
    if (!step) return concat("step ", recipe.size() + 1, ": ", step.error());
    recipe.push_back(std::move(step).value());
  }
  return recipe;
}

std::string to_text(const Stopped& stopped, std::size_t steps) {
  return concat("step ", stopped.step, " of ", steps, ": ", to_text(stopped.strategy, stopped.refusal));
}

Result<Replayed, Stopped> replay(const Program& root, const Recipe& recipe) {
  Replayed out{root, {}};
  for (std::size_t i = 0; i < recipe.size(); ++i) {
    View view(out.program);
    auto applied = apply(*find_strategy(recipe[i].strategy), view, recipe[i].choice);
    if (!applied) return Stopped{i + 1, recipe[i].strategy, applied.error()};
    out.program = std::move(applied->program);
    out.facts.push_back(std::move(applied->facts));
  }
  return out;
}

}  // namespace steptp
