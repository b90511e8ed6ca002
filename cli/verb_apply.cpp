#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/move_options.h"
#include "cli/strategy_options.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/facts_json.h"
#include "steptp/recipe/recipe.h"
#include "steptp/strategies/handles.h"
#include "steptp/text/printer.h"

namespace steptp::cli {

namespace {

struct ApplyOptions {
  RecordOptions records;
  std::string strategy;
  std::string move;
  std::string choice;
  bool reasoning = false;
  std::uint64_t seed = 0;
};

struct ReplayOptions {
  RecordOptions records;
  std::string recipe;
  std::string plan;
};

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
  const auto tracked = apply_tracked(strategy, document.program, choice);
  Json out;
  if (!tracked) {
    answer.status = status_of(tracked.error());
    answer.err = concat(document.source->name(), ": ", to_text(strategy.name, tracked.error()), "\n");
    if (json) answer.out = out.set("refused", to_json(tracked.error())).dump() + "\n";
    return answer;
  }
  const Applied* applied = &tracked->applied;
  std::string reasoning;
  if (options.reasoning) {
    const Trace trace = make_trace(strategy, document.program, choice, *applied, options.seed);
    reasoning = render(trace, document.program, applied->program, Profile::paper);
  }
  if (!json) {
    answer.out = concat(options.reasoning ? as_comments(reasoning) : "", program_text(document, applied->program));
    return answer;
  }
  out.set("leir", print(applied->program)).set("step", to_json(Step{std::string(strategy.name), choice}));
  out.set("facts", to_json(applied->facts, document.program, applied->program));
  out.set("map", tracked->map.to_json());
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
    answer.out = program_text(document, replayed->program);
  return answer;
}

Status bad_input(const Diagnostic& diagnostic) {
  print_error(diagnostic);
  return Status::bad_input;
}

}  // namespace

VerbMain add_apply(CLI::App& app) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* verb = app.add_subcommand("apply", "apply one step, or one move, to a program");
  verb->footer(
      "A choice is what `steptp choices` prints. With --json also \"map\": where each nest, loop, equation, left side "
      "and\n"
      "read is afterwards. Exit status: 0 done, 1 refused (with the precondition that failed,\n"
      "the place and the values), 2 bad input.\n"
      "Example: steptp apply matmul.leir --strategy loop_split --choice "
      R"('{"at":"0:loop[1]","inner":4,"kind":"inner"}')");
  add_record_options(*verb, options->records);
  auto* strategy =
      verb->add_option("--strategy", options->strategy, "the name of the strategy; steptp strategies lists them");
  verb->add_option("--move", options->move, "instead of a strategy: the name of a move; steptp moves lists them")
      ->excludes(strategy);
  verb->add_option("--choice", options->choice, "place and parameters as JSON, or @FILE with them")->required();
  verb->add_flag("--reasoning,--explain", options->reasoning,
                 "also the step in words: comments before the program, \"reasoning\" in JSON");
  verb->add_option("--seed", options->seed, "chooses among the phrasings of --reasoning");
  return [options] {
    const bool is_move = !options->move.empty();
    if (!is_move && options->strategy.empty()) {
      return bad_input(
          make_error("usage", "neither --strategy nor --move is given", "steptp apply --help explains both"));
    }
    const std::vector<const Move*> moves = is_move ? moves_named({options->move}) : std::vector<const Move*>();
    const std::vector<const Strategy*> found =
        is_move ? std::vector<const Strategy*>() : strategies_named({options->strategy});
    if (is_move ? moves.empty() : found.empty()) return Status::bad_input;
    if (is_move && options->reasoning) {
      return bad_input(make_error("usage", "--reasoning tells a step, and a move has several",
                                  "apply the steps of its recipe with --reasoning"));
    }
    const auto json = read_json_option("--choice", options->choice);
    if (!json) return bad_input(json.error());
    const auto choice = choice_from_json(*json);
    if (!choice) return bad_input(make_error("usage", concat("--choice: ", choice.error())));
    if (is_move) {
      return for_each_record(options->records.file, options->records.jobs, "apply", [&](const Document& document) {
        return apply_move(document, *moves[0], *choice, options->records.json);
      });
    }
    return for_each_record(options->records.file, options->records.jobs, "apply", [&](const Document& document) {
      return apply_step(document, *found[0], *choice, *options);
    });
  };
}

VerbMain add_replay(CLI::App& app) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* verb =
      app.add_subcommand("replay", "apply the steps of a recipe, or the moves of a plan, one after the other");
  verb->footer(
      R"(A recipe is {"steps":[{"strategy":"loop_split","choice":{...}},...]}: the "step" that apply --json answers.)"
      "\nA plan is "
      "{\"version\":1,\"root\":HASH,\"target\":\"cuda\",\"moves\":[{\"move\":\"inline\",\"choice\":{...}},...]}; it "
      "is\n"
      "made for one program, whose hash it carries, and is refused for another.\n"
      "Exit status: 0 done, 1 a step was refused (which one and why), 2 bad input.\n"
      "Example: steptp replay matmul.leir --recipe tiles.json");
  add_record_options(*verb, options->records);
  auto* recipe_file = verb->add_option("--recipe", options->recipe, "the JSON file with the recipe");
  verb->add_option("--plan", options->plan, "instead of a recipe: the JSON file with the plan")->excludes(recipe_file);
  return [options] {
    if (options->recipe.empty() && options->plan.empty()) {
      return bad_input(
          make_error("usage", "neither --recipe nor --plan is given", "steptp replay --help explains both"));
    }
    if (!options->plan.empty()) {
      const auto plan = read_plan(options->plan);
      if (!plan) return bad_input(plan.error());
      return for_each_record(options->records.file, options->records.jobs, "replay", [&](const Document& document) {
        return replay_plan(document, *plan, options->plan, options->records.json);
      });
    }
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
