#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/strategy_options.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/facts_json.h"
#include "steptp/recipe/recipe.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"

namespace steptp::cli {

namespace {

struct ApplyOptions {
  RecordOptions records;
  std::string strategy;
  std::string choice;
  bool reasoning = false;
  std::uint64_t seed = 0;
};

struct ReplayOptions {
  RecordOptions records;
  std::string recipe;
};

std::string result_text(const Document& document, const Program& result) {
  return document.record.is_null() ? print_document(result, Profile::paper) : print(result) + "\n";
}

/// Each line as a comment, so that what is printed is still a program.
std::string as_comments(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    append(out, line.empty() ? "#" : "# ", line, "\n");
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return out;
}

Answer apply_step(const Document& document, const Strategy& strategy, const Choice& choice,
                  const ApplyOptions& options) {
  const bool json = options.records.json;
  Answer answer = unusable(document, json);
  if (answer.status != Status::yes) return answer;
  View view(document.program);
  const auto applied = apply(strategy, view, choice);
  Json out;
  if (!applied) {
    answer.status = status_of(applied.error());
    answer.err = concat(document.source->name(), ": ", to_text(strategy.name, applied.error()), "\n");
    if (json) answer.out = out.set("refused", to_json(applied.error())).dump() + "\n";
    return answer;
  }
  std::string reasoning;
  if (options.reasoning) {
    const Trace trace = make_trace(strategy, document.program, choice, *applied, options.seed);
    reasoning = render(trace, document.program, applied->program, Profile::paper);
  }
  if (!json) {
    answer.out = concat(options.reasoning ? as_comments(reasoning) : "", result_text(document, applied->program));
    return answer;
  }
  out.set("leir", print(applied->program)).set("step", to_json(Step{std::string(strategy.name), choice}));
  out.set("facts", to_json(applied->facts, document.program, applied->program));
  if (options.reasoning) out.set("reasoning", reasoning);
  answer.out = out.dump() + "\n";
  return answer;
}

Answer replay_recipe(const Document& document, const Recipe& recipe, bool json) {
  Answer answer = unusable(document, json);
  if (answer.status != Status::yes) return answer;
  const auto replayed = replay(document.program, recipe);
  Json out;
  if (!replayed) {
    const Stopped& stopped = replayed.error();
    answer.status = status_of(stopped.refusal);
    answer.err = concat(document.source->name(), ": ", to_text(stopped, recipe.size()), "\n");
    if (json) {
      out.set("step", stopped.step).set("strategy", stopped.strategy);
      answer.out = out.set("refused", to_json(stopped.refusal)).dump() + "\n";
    }
    return answer;
  }
  if (json)
    answer.out = out.set("leir", print(replayed->program)).set("steps", recipe.size()).dump() + "\n";
  else
    answer.out = result_text(document, replayed->program);
  return answer;
}

Status bad_input(const Diagnostic& diagnostic) {
  print_error(diagnostic);
  return Status::bad_input;
}

}  // namespace

VerbMain add_apply(CLI::App& app) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* verb = app.add_subcommand("apply", "apply one step to a program");
  verb->footer(
      "A choice is what `steptp choices` prints. Exit status: 0 done, 1 refused (with the precondition that failed,\n"
      "the place and the values), 2 bad input.\n"
      "Example: steptp apply matmul.leir --strategy loop_split --choice "
      R"('{"at":"0:loop[1]","inner":4,"kind":"inner"}')");
  add_record_options(*verb, options->records);
  verb->add_option("--strategy", options->strategy, "the name of the strategy; steptp strategies lists them")
      ->required();
  verb->add_option("--choice", options->choice, "place and parameters as JSON, or @FILE with them")->required();
  verb->add_flag("--reasoning,--explain", options->reasoning,
                 "also the step in words: comments before the program, \"reasoning\" in JSON");
  verb->add_option("--seed", options->seed, "chooses among the phrasings of --reasoning");
  return [options] {
    const std::vector<const Strategy*> found = strategies_named({options->strategy});
    if (found.empty()) return Status::bad_input;
    const auto json = read_json_option("--choice", options->choice);
    if (!json) return bad_input(json.error());
    const auto choice = choice_from_json(*json);
    if (!choice) return bad_input(make_error("usage", concat("--choice: ", choice.error())));
    return for_each_record(options->records.file, options->records.jobs, "apply", [&](const Document& document) {
      return apply_step(document, *found[0], *choice, *options);
    });
  };
}

VerbMain add_replay(CLI::App& app) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* verb = app.add_subcommand("replay", "apply the steps of a recipe, one after the other");
  verb->footer(
      R"(A recipe is {"steps":[{"strategy":"loop_split","choice":{...}},...]}: the "step" that apply --json answers.)"
      "\nExit status: 0 done, 1 a step was refused (which one and why), 2 bad input.\n"
      "Example: steptp replay matmul.leir --recipe tiles.json");
  add_record_options(*verb, options->records);
  verb->add_option("--recipe", options->recipe, "the JSON file with the recipe")->required();
  return [options] {
    const auto json = read_json_option(options->recipe, "@" + options->recipe);
    if (!json) return bad_input(json.error());
    const auto recipe = recipe_from_json(*json);
    if (!recipe) return bad_input(make_error("record", concat(options->recipe, ": ", recipe.error())));
    return for_each_record(options->records.file, options->records.jobs, "replay", [&](const Document& document) {
      return replay_recipe(document, *recipe, options->records.json);
    });
  };
}

}  // namespace steptp::cli
