#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>

#include "python/src/bindings.h"
#include "python/src/workers.h"
#include "steptp/base/fresh_seed.h"
#include "steptp/base/text.h"
#include "steptp/documents/check_document.h"
#include "steptp/documents/judged_recipe.h"
#include "steptp/documents/usable.h"
#include "steptp/plans/listing.h"
#include "steptp/plans/registry.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/describe.h"
#include "steptp/recipe/facts_json.h"
#include "steptp/recipe/places_by_name.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/handles.h"
#include "steptp/text/printer.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

const Strategy& strategy_named(const std::string& name) {
  const Strategy* strategy = find_strategy(name);
  if (!strategy) throw nb::value_error(unknown_strategy(name).c_str());
  return *strategy;
}

void require_usable(const Document& document) {
  const Diagnostics found = find_unusable(document);
  if (!found.empty()) throw_diagnostics(found, *document.source);
}

Json json_of(const std::string& text) {
  const auto json = parse_json(text);
  if (!json) throw nb::value_error(json.error().message.c_str());
  return *json;
}

Choice choice_of(const std::string& text) {
  auto choice = choice_from_json(json_of(text));
  if (!choice) throw nb::value_error(choice.error().c_str());
  return std::move(choice).value();
}

/// The same, whose place may be named by what is written there.
Choice choice_in(const Program& program, const std::string& text) {
  const auto numbered = with_address(program, json_of(text));
  if (!numbered) throw nb::value_error(concat(numbered.error().message, "; ", numbered.error().hint).c_str());
  auto choice = choice_from_json(*numbered);
  if (!choice) throw nb::value_error(choice.error().c_str());
  return std::move(choice).value();
}

/// A choice that is none of the strategy's is a wrong argument; another refusal is an answer.
void require_choice(const Refusal& refusal) {
  if (refusal.precondition->check == Check::choice) throw nb::value_error(refusal.message.c_str());
}

nb::object strategies_verb() {
  Json::Array all;
  for (const Strategy* strategy : all_strategies()) all.push_back(to_json(*strategy));
  return text_object(Json(std::move(all)).dump());
}

/// Nothing where there is no such strategy: the name may be that of a diagnostic.
nb::object explain_strategy_verb(const std::string& name) {
  const Strategy* strategy = find_strategy(name);
  return strategy ? text_object(explain(*strategy)) : nb::none();
}

const Move& move_named(const std::string& name) {
  const Move* move = find_move(name);
  if (!move) throw nb::value_error(unknown_move(name).c_str());
  return *move;
}

Plan plan_of(const std::string& text) {
  auto plan = plan_from_json(json_of(text));
  if (!plan) throw nb::value_error(plan.error().c_str());
  return std::move(plan).value();
}

nb::object moves_verb() {
  Json::Array all;
  for (const Move* move : all_moves()) all.push_back(to_json(*move));
  return text_object(Json(std::move(all)).dump());
}

nb::object explain_move_verb(const std::string& name) {
  const Move* move = find_move(name);
  return move ? text_object(explain(*move)) : nb::none();
}

nb::object move_choices_verb(const Document& document, const std::vector<std::string>& names,
                             std::optional<std::uint64_t> limit, std::optional<std::uint64_t> sample,
                             std::uint64_t seed, bool refusals) {
  require_usable(document);
  std::vector<const Move*> moves;
  for (const std::string& name : names) moves.push_back(&move_named(name));
  std::string text;
  {
    const nb::gil_scoped_release release;
    View view(document.program);
    const MoveChoices found = list_choices(names.empty() ? all_moves() : moves, view, refusals);
    Json::Array out;
    const std::string& program = document.program.name;
    if (limit || sample) {
      for (const MoveChoice& entry : sample ? sample_choices(found, *sample, seed) : first_choices(found, *limit)) {
        out.push_back(to_json(program, entry));
      }
    } else {
      for (const MoveSite& entry : found.sites) out.push_back(to_json(program, entry));
    }
    for (const MoveNotMade& entry : found.refusals) out.push_back(to_json(program, entry));
    text = Json(std::move(out)).dump();
  }
  return text_object(text);
}

/// (program, JSON of step, recipe, facts and map), or (None, JSON of the refusal).
nb::tuple apply_move_verb(const Document& document, const std::string& name, const std::string& choice_text) {
  require_usable(document);
  const Move& move = move_named(name);
  const Choice choice = choice_in(document.program, choice_text);
  const auto moved = apply(move, document.program, choice);
  if (moved) {
    const Json made = to_json(PlannedMove{name, choice}, document.program, *moved);
    return nb::make_tuple(nb::cast(moved->program), text_object(made.dump()));
  }
  require_choice(moved.error().refusal);
  Json out;
  out.set("text", to_text(move, moved.error())).set("refused", to_json(moved.error()));
  return nb::make_tuple(nb::none(), text_object(out.dump()));
}

std::string root_hash_verb(const Document& document) {
  require_usable(document);
  return root_hash(document.program);
}

/// (program, JSON of recipe and map), or (None, JSON of the refusal).
nb::tuple replay_plan_verb(const Document& document, const std::string& plan_text) {
  require_usable(document);
  const Plan plan = plan_of(plan_text);
  if (const std::string other = other_root(document.program, plan); !other.empty()) {
    throw nb::value_error(other.c_str());
  }
  const auto replayed = replay(document.program, plan);
  Json out;
  if (replayed) {
    out.set("recipe", to_json(replayed->recipe)).set("map", replayed->map.to_json());
    return nb::make_tuple(nb::cast(replayed->program), text_object(out.dump()));
  }
  const MoveRefusal& why = replayed.error().refusal;
  require_choice(why.refusal);
  out.set("text", to_text(replayed.error(), plan)).set("move", replayed.error().move);
  return nb::make_tuple(nb::none(), text_object(out.set("refused", to_json(why)).dump()));
}

nb::object retune_verb(const std::string& plan_text, std::uint64_t move, const std::string& choice_text) {
  const auto plan = retuned(plan_of(plan_text), move, choice_of(choice_text));
  if (!plan) throw nb::value_error(plan.error().c_str());
  return text_object(to_json(*plan).dump());
}

nb::object choices_verb(const Document& document, const std::vector<std::string>& names, bool extended,
                        std::optional<std::uint64_t> limit, std::optional<std::uint64_t> sample, std::uint64_t seed,
                        bool refusals) {
  require_usable(document);
  std::vector<const Strategy*> strategies;
  for (const std::string& name : names) strategies.push_back(&strategy_named(name));
  std::string text;
  {
    const nb::gil_scoped_release release;
    View view(document.program);
    const Choices found = list_choices(names.empty() ? all_strategies() : strategies, view, extended, refusals);
    Json::Array out;
    const std::string& program = document.program.name;
    if (limit || sample) {
      for (const StrategyChoice& entry : sample ? sample_choices(found, *sample, seed) : first_choices(found, *limit)) {
        out.push_back(to_json(program, entry));
      }
    } else {
      for (const StrategySite& entry : found.sites) out.push_back(to_json(program, entry));
    }
    for (const StrategyRefusal& entry : found.refusals) out.push_back(to_json(program, entry));
    text = Json(std::move(out)).dump();
  }
  return text_object(text);
}

/// (program, JSON of step, facts and map), or (None, JSON of the refusal). With a seed also the step in words.
nb::tuple apply_verb(const Document& document, const std::string& name, const std::string& choice_text,
                     std::optional<std::uint64_t> reasoning) {
  require_usable(document);
  const Strategy& strategy = strategy_named(name);
  const Choice choice = choice_in(document.program, choice_text);
  const auto tracked = apply_tracked(strategy, document.program, choice);
  Json out;
  if (!tracked) {
    require_choice(tracked.error());
    out.set("text", to_text(name, tracked.error())).set("refused", to_json(tracked.error()));
    return nb::make_tuple(nb::none(), text_object(out.dump()));
  }
  const Applied* applied = &tracked->applied;
  out.set("step", to_json(Step{name, choice}));
  out.set("facts", to_json(applied->facts, document.program, applied->program));
  out.set("map", tracked->map.to_json());
  if (reasoning) {
    const Trace trace = make_trace(strategy, document.program, choice, *applied, *reasoning);
    out.set("reasoning", render(trace, document.program, applied->program, Profile::paper));
  }
  return nb::make_tuple(nb::cast(applied->program), text_object(out.dump()));
}

nb::tuple replay_verb(const Document& document, const std::string& recipe_text) {
  require_usable(document);
  const auto recipe = recipe_from_json(json_of(recipe_text));
  if (!recipe) throw nb::value_error(recipe.error().c_str());
  const auto replayed = replay(document.program, *recipe);
  if (replayed) return nb::make_tuple(nb::cast(replayed->program), nb::none());
  require_choice(replayed.error().refusal);
  Json out;
  out.set("text", to_text(replayed.error(), recipe->size())).set("step", replayed.error().step);
  return nb::make_tuple(nb::none(), text_object(out.set("refused", to_json(replayed.error().refusal)).dump()));
}

/// (program, JSON of the judgements), or (None, JSON of the refusal).
nb::tuple judge_recipe_verb(const Document& document, const std::string& recipe_text, std::optional<std::uint64_t> seed,
                            double timeout, const std::string& range) {
  require_usable(document);
  const auto recipe = recipe_from_json(json_of(recipe_text));
  if (!recipe) throw nb::value_error(recipe.error().c_str());
  const auto safe_range = parse_safe_range(range);
  if (!safe_range) throw nb::value_error("range is 'middle', 'full' or two magnitudes 'lo,hi'");
  ApartOptions how;
  how.command = worker_command(WorkerKind::judge);
  how.judge.safe_range = *safe_range;
  how.seconds = timeout;
  SignalWatch watch;
  how.go_on = [&] { return watch.go_on(); };
  auto judged = [&] {
    const nb::gil_scoped_release release;
    how.judge.seed = seed ? *seed : fresh_seed();
    return judge_recipe(document, *recipe, how);
  }();
  if (watch.raised()) throw nb::python_error();
  if (judged && judged->end.unusable) {
    throw_diagnostics(check_document(document).diagnostics, *document.source);
  }
  if (judged) return nb::make_tuple(nb::cast(judged->program), text_object(to_json(*judged).dump()));
  require_choice(judged.error().refusal);
  Json out;
  out.set("text", to_text(judged.error(), recipe->size())).set("step", judged.error().step);
  return nb::make_tuple(nb::none(), text_object(out.set("refused", to_json(judged.error().refusal)).dump()));
}

}  // namespace

void bind_strategies(nb::module_& module) {
  module.def("strategies", &strategies_verb);
  module.def("explain_strategy", &explain_strategy_verb, nb::arg("name"));
  module.def("moves", &moves_verb);
  module.def("explain_move", &explain_move_verb, nb::arg("name"));
  module.def("move_choices", &move_choices_verb, nb::arg("document"), nb::arg("moves"), nb::arg("limit").none(),
             nb::arg("sample").none(), nb::arg("seed"), nb::arg("refusals"));
  module.def("apply_move", &apply_move_verb, nb::arg("document"), nb::arg("move"), nb::arg("choice"));
  module.def("root_hash", &root_hash_verb, nb::arg("document"));
  module.def("replay_plan", &replay_plan_verb, nb::arg("document"), nb::arg("plan"));
  module.def("retune", &retune_verb, nb::arg("plan"), nb::arg("move"), nb::arg("choice"));
  module.def("choices", &choices_verb, nb::arg("document"), nb::arg("strategies"), nb::arg("extended"),
             nb::arg("limit").none(), nb::arg("sample").none(), nb::arg("seed"), nb::arg("refusals"));
  module.def("apply", &apply_verb, nb::arg("document"), nb::arg("strategy"), nb::arg("choice"),
             nb::arg("reasoning").none());
  module.def("replay", &replay_verb, nb::arg("document"), nb::arg("recipe"));
  module.def("judge_recipe", &judge_recipe_verb, nb::arg("document"), nb::arg("recipe"), nb::arg("seed").none(),
             nb::arg("timeout"), nb::arg("range"));
}

}  // namespace steptp::python
