#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/move_options.h"
#include "cli/strategy_options.h"
#include "steptp/base/text.h"
#include "steptp/plans/registry.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/facts_json.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/handles.h"
#include "steptp/text/printer.h"

namespace steptp::cli {

namespace {

struct ApplyOptions {
  RecordOptions records;
  std::string strategy;
  std::string move;
  std::string choice;
  std::string profile = "paper";
  bool reasoning = false;
  std::uint64_t seed = 0;
};

Answer apply_step(const Document& document, const Strategy& strategy, const Choice& choice,
                  const ApplyOptions& options) {
  const bool json = options.records.json;
  Answer answer = unusable(document, json);
  if (answer.status != Status::yes) return answer;
  const Profile profile = parse_profile(options.profile).value_or(Profile::paper);
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
    reasoning = render(trace, document.program, applied->program, profile);
  }
  if (!json) {
    answer.out =
        concat(options.reasoning ? as_comments(reasoning) : "", program_text(document, applied->program, profile));
    return answer;
  }
  out.set("leir", print(applied->program, profile)).set("step", to_json(Step{std::string(strategy.name), choice}));
  out.set("facts", to_json(applied->facts, document.program, applied->program));
  out.set("map", tracked->map.to_json());
  if (options.reasoning) out.set("reasoning", reasoning);
  answer.out = out.dump() + "\n";
  return answer;
}

/// The strategy or move that the choice names, where the options name none. Answers what is wrong with the words.
std::optional<Diagnostic> take_name(const std::string& name, ApplyOptions& options) {
  const std::string& wanted = options.move.empty() ? options.strategy : options.move;
  if (name.empty() && wanted.empty()) {
    return make_error("usage", "neither --strategy nor --move is given", "steptp apply --help explains both");
  }
  if (!name.empty() && !wanted.empty() && name != wanted) {
    return make_error("usage", concat("--choice is a choice of ", name, ", not of ", wanted),
                      "leave out the name in one of them");
  }
  if (wanted.empty()) (find_move(name) && !find_strategy(name) ? options.move : options.strategy) = name;
  return std::nullopt;
}

}  // namespace

VerbMain add_apply(CLI::App& app) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* verb = app.add_subcommand("apply", "apply one step, or one move, to a program");
  verb->footer(
      "A choice is what `steptp choices --limit` prints: the JSON alone, or the whole line, which names the strategy.\n"
      "With --json also \"map\": where each nest, loop, equation, left side "
      "and\n"
      "read is afterwards. Exit status: 0 done, 1 refused (with the precondition that failed,\n"
      "the place and the values), 2 bad input.\n"
      "Example: steptp apply matmul.leir --strategy loop_split --choice "
      R"('{"at":"0:loop[1]","inner":4,"kind":"inner"}')");
  add_record_options(*verb, options->records);
  auto* strategy = verb->add_option("--strategy", options->strategy,
                                    "the name of the strategy, unless --choice has it; steptp strategies lists them");
  verb->add_option("--move", options->move, "instead of a strategy: the name of a move; steptp moves lists them")
      ->excludes(strategy);
  verb->add_option("--choice", options->choice,
                   "place and parameters as JSON, the line that choices prints, or @FILE with it")
      ->required();
  verb->add_option("--profile", options->profile, "how the program is printed: paper (the published text) or compact")
      ->check(CLI::IsMember({"paper", "compact"}))
      ->capture_default_str();
  verb->add_flag("--reasoning,--explain", options->reasoning,
                 "also the step in words: comments before the program, \"reasoning\" in JSON");
  verb->add_option("--seed", options->seed, "chooses among the phrasings of --reasoning");
  return [options] {
    const auto given = read_choice(options->choice);
    if (!given) return bad_input(given.error());
    if (const auto problem = take_name(given->name, *options)) return bad_input(*problem);
    const bool is_move = !options->move.empty();
    const std::vector<const Move*> moves = is_move ? moves_named({options->move}) : std::vector<const Move*>();
    const std::vector<const Strategy*> found =
        is_move ? std::vector<const Strategy*>() : strategies_named({options->strategy});
    if (is_move ? moves.empty() : found.empty()) return Status::bad_input;
    if (is_move && options->reasoning) {
      return bad_input(make_error("usage", "--reasoning tells a step, and a move has several",
                                  "apply the steps of its recipe with --reasoning"));
    }
    const auto choice = choice_from_json(given->choice);
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

}  // namespace steptp::cli
