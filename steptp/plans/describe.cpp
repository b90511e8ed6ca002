#include "steptp/base/text.h"
#include "steptp/plans/listing.h"
#include "steptp/plans/registry.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

std::string_view kind_name(Parameter::Kind kind) { return kind == Parameter::Kind::integer ? "integer" : "word"; }

/// The example before and after, and the steps between; what a move says of itself has to be true, so it is made.
struct Shown {
  std::string before;
  std::string after;
  std::string steps;
};
Shown show_example(const Move& move) {
  const Document document = read_document("example", std::string(move.example.program));
  const auto json = parse_json(move.example.choice);
  const auto choice = json ? choice_from_json(*json) : Result<Choice, std::string>(std::string("not JSON"));
  if (!document.ok || !choice) return {};
  const auto moved = apply(move, document.program, *choice);
  if (!moved) return {print(document.program), to_text(move, moved.error()), {}};
  Shown out{print(document.program), print(moved->program), {}};
  for (const Step& step : moved->recipe)
    append(out.steps, "  ", step.strategy, " ", step.choice.to_json().dump(), "\n");
  return out;
}

std::string parameters_text(const Move& move, std::string_view indent) {
  std::string out;
  for (const Parameter& parameter : move.parameters) {
    append(out, indent, parameter.name, " (", kind_name(parameter.kind), "): ", parameter.text, "\n");
  }
  return out;
}

std::string needs_text(const Move& move, std::string_view indent) {
  std::string out;
  for (const Precondition& item : move.needs) append(out, indent, item.id, ": ", item.text, "\n");
  return out;
}

std::string section(const Move& move) {
  const Shown shown = show_example(move);
  std::string out = concat("\n## ", move.name, "\n\nMakes: ", move.summary, ".\n\n```\n", move.picture, "\n```\n\n");
  append(out, "Parameters:\n\n", parameters_text(move, "- "), "\nRefusals:\n\n", needs_text(move, "- "));
  append(out, "\nExample, `", move.example.choice, "`:\n\n```\n", shown.before, "\n-->\n", shown.after, "\n```\n\n");
  return concat(out, "made by\n\n```\n", shown.steps, "```\n");
}

}  // namespace

Json to_json(const Move& move) {
  Json::Array parameters;
  for (const Parameter& parameter : move.parameters) {
    Json entry;
    entry.set("name", parameter.name).set("kind", kind_name(parameter.kind)).set("text", parameter.text);
    parameters.push_back(std::move(entry));
  }
  Json::Array needs;
  for (const Precondition& item : move.needs) {
    Json entry;
    needs.push_back(entry.set("id", item.id).set("check", name_of(item.check)).set("text", item.text));
  }
  Json out;
  out.set("name", move.name).set("summary", move.summary).set("picture", move.picture);
  out.set("parameters", std::move(parameters)).set("refusals", std::move(needs));
  return out.set("zoo_types", move.zoo_types);
}

std::string explain(const Move& move) {
  const Shown shown = show_example(move);
  std::string out =
      concat(move.name, " (move): ", move.summary, "\n\n  ", move.picture, "\n\nparameters, besides at:\n");
  append(out, parameters_text(move, "  "), "\nit is refused where one of these does not hold:\n",
         needs_text(move, "  "));
  append(out, "\nexample: ", move.example.choice, "\n", shown.before, "\n-->\n", shown.after, "\n\nmade by\n");
  return out + shown.steps;
}

std::string moves_page() {
  std::string out =
      "# Moves\n\n"
      "A move is a goal with parameters at a place: it answers with a recipe of strategies, or with the refusal of the "
      "step that failed. It is a pure function of program, place and parameters, knows no time, and touches no tree: "
      "strategies do. [How to write one](moves-howto.md). This page is printed by `steptp moves --markdown`.\n\n"
      "`steptp choices FILE --moves` lists where each can be made, with values worth trying for each parameter; "
      "`steptp apply FILE --move M --choice JSON` makes one, also with other values where they are legal, and answers "
      "with its recipe and the map of addresses; `steptp replay FILE --plan F.json` makes all moves of a plan.\n\n"
      "| move | makes | parameters | zoo types, at least |\n|---|---|---|---|\n";
  for (const Move* move : all_moves()) {
    append(out, "| [", move->name, "](#", move->name, ") | ", move->summary, " | ",
           join(move->parameters, ", ", [](const Parameter& parameter) { return parameter.name; }), " | ",
           move->zoo_types, " |\n");
  }
  for (const Move* move : all_moves()) out += section(*move);
  return out;
}

}  // namespace steptp
