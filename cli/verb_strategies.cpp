#include <CLI/CLI.hpp>
#include <memory>

#include "cli/nearest.h"
#include "cli/strategy_options.h"
#include "steptp/base/text.h"
#include "steptp/plans/listing.h"
#include "steptp/plans/registry.h"
#include "steptp/recipe/describe.h"
#include "steptp/recipe/page.h"
#include "steptp/recipe/registry.h"

namespace steptp::cli {

namespace {

struct StrategiesOptions {
  bool json = false;
  bool markdown = false;
};

std::string table() {
  std::string out;
  for (const Strategy* strategy : all_strategies()) {
    std::string line(strategy->name);
    line.resize(std::max<std::size_t>(line.size() + 1, 40), ' ');
    line += name_of(strategy->level);
    line.resize(std::max<std::size_t>(line.size() + 1, 50), ' ');
    line += strategy->difficulty();
    line.resize(std::max<std::size_t>(line.size() + 1, 61), ' ');
    append(out, line, strategy->summary, is_published(*strategy) ? "" : " (our own)", "\n");
  }
  return out;
}

Status unknown_name(const std::string& name) {
  std::string known;
  for (const Strategy* strategy : all_strategies()) append(known, strategy->name, " ");
  for (const Move* move : all_moves()) append(known, move->name, " ");
  return bad_input(make_error("usage", concat("there is no strategy and no move '", name, "'"),
                              did_you_mean(name, known) + "steptp strategies and steptp moves list them"));
}

}  // namespace

VerbMain add_strategies(CLI::App& app) {
  auto options = std::make_shared<StrategiesOptions>();
  CLI::App* verb = app.add_subcommand("strategies", "list the strategies, with level and difficulty");
  verb->footer("Example: steptp strategies --json        steptp explain loop_split");
  verb->add_flag("--json", options->json, "one array, with preconditions, components, picture and parameters");
  verb->add_flag("--markdown", options->markdown, "print the page docs/strategies.md");
  return [options] {
    std::string text = options->markdown ? strategies_page(measured_strategies()) : table();
    if (options->json) {
      Json::Array all;
      for (const Strategy* strategy : all_strategies()) all.push_back(to_json(*strategy));
      text = Json(std::move(all)).dump() + "\n";
    }
    return write_out(text) ? Status::yes : Status::failed;
  };
}

VerbMain add_explain(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("explain", "explain one strategy or move: picture, preconditions, an example");
  verb->footer("Example: steptp explain loop_split        (diagnostics: steptp check --explain ID)");
  verb->add_option("STRATEGY", *name, "the name of a strategy or a move; steptp strategies and steptp moves list them")
      ->required();
  verb->add_flag("--json", *json, "print one JSON object");
  return [name, json] {
    if (const Move* move = find_move(*name)) {
      const std::string text = *json ? to_json(*move).dump() + "\n" : explain(*move);
      return write_out(text) ? Status::yes : Status::failed;
    }
    const Strategy* found = find_strategy(*name);
    if (!found) return unknown_name(*name);
    const std::string text = *json ? to_json(*found).dump() + "\n" : explain(*found);
    return write_out(text) ? Status::yes : Status::failed;
  };
}

}  // namespace steptp::cli
