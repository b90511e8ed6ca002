#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>

#include "python/src/bindings.h"
#include "steptp/base/text.h"
#include "steptp/documents/usable.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/describe.h"
#include "steptp/recipe/facts_json.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
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

/// (program, JSON of step and facts), or (None, JSON of the refusal). With a seed also the step in words.
nb::tuple apply_verb(const Document& document, const std::string& name, const std::string& choice_text,
                     std::optional<std::uint64_t> reasoning) {
  require_usable(document);
  const Strategy& strategy = strategy_named(name);
  const Choice choice = choice_of(choice_text);
  View view(document.program);
  const auto applied = apply(strategy, view, choice);
  Json out;
  if (!applied) {
    require_choice(applied.error());
    out.set("text", to_text(name, applied.error())).set("refused", to_json(applied.error()));
    return nb::make_tuple(nb::none(), text_object(out.dump()));
  }
  out.set("step", to_json(Step{name, choice}));
  out.set("facts", to_json(applied->facts, document.program, applied->program));
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

}  // namespace

void bind_strategies(nb::module_& module) {
  module.def("strategies", &strategies_verb);
  module.def("explain_strategy", &explain_strategy_verb, nb::arg("name"));
  module.def("choices", &choices_verb, nb::arg("document"), nb::arg("strategies"), nb::arg("extended"),
             nb::arg("limit").none(), nb::arg("sample").none(), nb::arg("seed"), nb::arg("refusals"));
  module.def("apply", &apply_verb, nb::arg("document"), nb::arg("strategy"), nb::arg("choice"),
             nb::arg("reasoning").none());
  module.def("replay", &replay_verb, nb::arg("document"), nb::arg("recipe"));
}

}  // namespace steptp::python
