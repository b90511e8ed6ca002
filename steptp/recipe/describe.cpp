#include "steptp/recipe/describe.h"

#include "steptp/base/text.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

std::string_view kind_name(Parameter::Kind kind) { return kind == Parameter::Kind::integer ? "integer" : "word"; }

Json preconditions_json(std::span<const Precondition> list) {
  Json::Array out;
  for (const Precondition& item : list) {
    Json entry;
    out.push_back(entry.set("id", item.id).set("check", name_of(item.check)).set("text", item.text));
  }
  return out;
}

template <typename List>
std::string names(const List& list) {
  return join(list, ", ", [](auto item) { return name_of(item); });
}

template <typename List>
Json names_json(const List& list) {
  Json::Array out;
  for (const auto item : list) out.emplace_back(name_of(item));
  return out;
}

/// The example before and after; what a strategy says of itself has to be true, so it is worked out.
struct Shown {
  std::string before;
  std::string after;
};
Shown show_example(const Strategy& strategy) {
  const Document document = read_document("example", std::string(strategy.example.program));
  const auto json = parse_json(strategy.example.choice);
  const auto choice = json ? choice_from_json(*json) : Result<Choice, std::string>(std::string("not JSON"));
  if (!document.ok || !choice) return {};
  View view(document.program);
  const auto applied = apply(strategy, view, *choice);
  return {print(document.program), applied ? print(applied->program) : to_text(strategy.name, applied.error())};
}

std::string preconditions_text(std::span<const Precondition> list, std::string_view indent) {
  std::string out;
  for (const Precondition& item : list) append(out, indent, item.id, " (", name_of(item.check), "): ", item.text, "\n");
  return out;
}

}  // namespace

std::string score_text(const Strategy& strategy) {
  const int tenths = strategy.score_in_tenths();
  return concat(tenths / 10, ".", tenths % 10);
}

Json to_json(const Strategy& strategy) {
  Json::Array parameters;
  for (const Parameter& parameter : strategy.parameters) {
    Json entry;
    entry.set("name", parameter.name).set("kind", kind_name(parameter.kind)).set("text", parameter.text);
    parameters.push_back(std::move(entry));
  }
  Json out;
  out.set("name", strategy.name).set("level", name_of(strategy.level)).set("difficulty", strategy.difficulty());
  out.set("score", strategy.score_in_tenths() / 10.0).set("published", is_published(strategy));
  out.set("summary", strategy.summary).set("picture", strategy.picture).set("reason", strategy.reason);
  out.set("inverse", strategy.inverse.empty() ? Json(nullptr) : Json(strategy.inverse));
  out.set("preconditions", preconditions_json(strategy.published)).set("safety", preconditions_json(strategy.safety));
  out.set("modifies", names_json(strategy.modifies)).set("introduces", names_json(strategy.introduces));
  return out.set("parameters", std::move(parameters));
}

std::string explain(const Strategy& strategy) {
  std::string out = concat(strategy.name, ": ", strategy.summary, "\n\n  ", strategy.picture, "\n\nLegal because ",
                           strategy.reason, ".\n\n");
  append(out, "level ", name_of(strategy.level), ", ", strategy.difficulty(), " (score ", score_text(strategy), ")");
  if (!strategy.inverse.empty()) append(out, ", inverse ", strategy.inverse);
  append(out, "\nchanges ", names(strategy.modifies));
  if (!strategy.introduces.empty()) append(out, "; brings in ", names(strategy.introduces));
  append(out, "\n\nPublished preconditions:\n",
         strategy.published.empty() ? "  none\n" : preconditions_text(strategy.published, "  "));
  append(out, "Other preconditions of legality:\n",
         strategy.safety.empty() ? "  none\n" : preconditions_text(strategy.safety, "  "));
  append(out, "Parameters of a choice:\n  at: the place\n");
  for (const Parameter& parameter : strategy.parameters) append(out, "  ", parameter.name, ": ", parameter.text, "\n");
  const Shown shown = show_example(strategy);
  append(out, "\nExample: ", strategy.example.choice, "\n  ", shown.before, "\nbecomes\n  ", shown.after, "\n");
  return out;
}

}  // namespace steptp
