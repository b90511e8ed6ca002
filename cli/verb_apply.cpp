#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/apply_state.h"
#include "cli/move_options.h"
#include "cli/strategy_options.h"
#include "steptp/base/text.h"
#include "steptp/plans/listing.h"
#include "steptp/plans/registry.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/facts_json.h"
#include "steptp/recipe/places_by_name.h"
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
  std::string state;
  bool undo = false;
  std::string profile = "paper";
  bool reasoning = false;
  std::uint64_t seed = 0;
};

Profile profile_of(const ApplyOptions& options) { return parse_profile(options.profile).value_or(Profile::paper); }

Answer apply_step(const Document& document, const Strategy& strategy, const Choice& choice, const ApplyOptions& options,
                  Recipe& made) {
  const bool json = options.records.json;
  Answer answer;
  const Profile profile = profile_of(options);
  const auto tracked = apply_tracked(strategy, document.program, choice);
  Json out;
  if (!tracked) {
    answer.status = status_of(tracked.error());
    answer.err = concat(document.source->name(), ": ", to_text(strategy.name, tracked.error()), "\n");
    if (json) answer.out = out.set("refused", to_json(tracked.error())).dump() + "\n";
    return answer;
  }
  made = {Step{std::string(strategy.name), choice}};
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
  out.set("leir", print(applied->program, profile)).set("step", to_json(made.front()));
  out.set("facts", to_json(applied->facts, document.program, applied->program));
  out.set("map", tracked->map.to_json()).set("added", added_json(tracked->map));
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

/// What is applied, as the words of the call say it.
struct Wanted {
  const Strategy* strategy = nullptr;
  const Move* move = nullptr;
  Json choice;  ///< its place may be named by what is written there
};

Result<Wanted, Status> read_wanted(ApplyOptions& options) {
  const auto given = read_choice(options.choice);
  if (!given) return bad_input(given.error());
  if (const auto problem = take_name(given->name, options)) return bad_input(*problem);
  Wanted out{nullptr, nullptr, given->choice};
  if (options.move.empty()) {
    const auto found = strategies_named({options.strategy});
    if (found.empty()) return Status::bad_input;
    out.strategy = found[0];
  } else {
    const auto found = moves_named({options.move});
    if (found.empty()) return Status::bad_input;
    out.move = found[0];
  }
  if (out.move && options.reasoning) {
    return bad_input(make_error("usage", "--reasoning tells a step, and a move has several",
                                "apply the steps of its recipe with --reasoning"));
  }
  // All but a name, which only the program knows.
  Json numbered = out.choice;
  const Json* at = numbered.as_object() ? numbered.find("at") : nullptr;
  if (at && at->as_string() && is_place_name(*at->as_string())) numbered = with_place(numbered, "0");
  const auto choice = choice_from_json(numbered);
  if (!choice) return bad_input(make_error("usage", concat("--choice: ", choice.error())));
  return out;
}

Answer apply_to(const Document& document, const Wanted& wanted, const ApplyOptions& options, Recipe& made) {
  Answer answer = unusable(document, options.records.json);
  if (answer.status != Status::yes) return answer;
  const auto numbered = with_address(document.program, wanted.choice);
  if (!numbered) {
    answer.status = Status::bad_input;
    answer.err = render(numbered.error(), Source(document.source->name(), ""));
    return answer;
  }
  const auto choice = choice_from_json(*numbered);
  if (!choice) {
    answer.status = Status::bad_input;
    answer.err = render(make_error("usage", concat("--choice: ", choice.error())), Source("steptp", ""));
    return answer;
  }
  if (wanted.strategy) return apply_step(document, *wanted.strategy, *choice, options, made);
  return apply_move(document, *wanted.move, *choice, {options.records.json, profile_of(options)}, made);
}

/// The program of a state and what led to it, with nothing applied.
Status show_state(const ApplyState& state, const ApplyOptions& options) {
  const Profile profile = profile_of(options);
  std::string text;
  if (options.records.json) {
    Json out = to_json(state.steps());
    text = out.set("leir", print(state.document().program, profile)).dump() + "\n";
  } else {
    text = concat("# ", state.steps().size(), " steps are kept in ", options.state, "\n",
                  print_document(state.document().program, profile));
  }
  return write_out(text) ? Status::yes : Status::failed;
}

Status apply_in_state(ApplyOptions& options) {
  auto state = ApplyState::open(options.state, options.records.file);
  if (!state) return bad_input(state.error());
  if (options.undo) {
    const auto undone = state->undo();
    return undone ? show_state(*state, options) : bad_input(undone.error());
  }
  if (options.choice.empty()) return show_state(*state, options);
  const auto wanted = read_wanted(options);
  if (!wanted) return wanted.error();
  Recipe made;
  const Answer answer = apply_to(state->document(), *wanted, options, made);
  std::fputs(answer.err.c_str(), stderr);
  if (answer.status == Status::yes) {
    if (const auto kept = state->add(made); !kept) {
      print_error(kept.error());
      return Status::failed;
    }
  }
  return write_out(answer.out) ? answer.status : Status::failed;
}

Status run_apply(ApplyOptions& options) {
  if (options.undo && (options.state.empty() || !options.choice.empty())) {
    return bad_input(make_error("usage", "--undo takes back the last step of --state FILE, and takes no --choice"));
  }
  if (!options.state.empty()) return apply_in_state(options);
  if (options.records.file.empty() || options.choice.empty()) {
    const bool has_no_file = options.records.file.empty();
    return bad_input(make_error("usage", concat(has_no_file ? "FILE" : "--choice", " is missing"),
                                has_no_file ? "steptp apply --help shows how it is called"
                                            : "steptp choices FILE --limit 10 prints lines that --choice takes"));
  }
  const auto wanted = read_wanted(options);
  if (!wanted) return wanted.error();
  return for_each_record(options.records.file, options.records.jobs, "apply", [&](const Document& document) {
    Recipe made;
    return apply_to(document, *wanted, options, made);
  });
}

}  // namespace

VerbMain add_apply(CLI::App& app) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* verb = app.add_subcommand("apply", "apply one step, or one move, to a program");
  verb->footer(
      "A choice is what `steptp choices --limit` prints: the JSON alone, or the whole line, which names the strategy.\n"
      "Its place is an address, or named by what is written there, which changes less from step to step: "
      "\"D:loop[1]\"\n"
      "is loop 1 of the nest around the equation that writes D, \"D#2\" the nest around the second such equation.\n"
      "With --json also \"map\": where each nest, loop, equation, left side and read is afterwards, and\n"
      "\"added\": the addresses of those that are new.\n"
      "With --state the program and its steps are kept in a file, and each call goes on from there; without --choice "
      "it\n"
      "prints the program as it stands. The file is a recipe as well (steptp replay --recipe).\n"
      "Exit status: 0 done, 1 refused (with the precondition that failed, the place and the values), 2 bad input.\n"
      "Example: steptp apply matmul.leir --strategy loop_split --choice "
      R"('{"at":"0:loop[1]","inner":4,"kind":"inner"}')"
      "\n         steptp apply matmul.leir --state work.json --choice "
      R"('loop_split {"at":"D:loop[1]","inner":4,"kind":"inner"}')"
      "\n         steptp apply --state work.json --undo");
  add_record_options(*verb, options->records);
  verb->get_option("FILE")->required(false);
  auto* strategy = verb->add_option("--strategy", options->strategy,
                                    "the name of the strategy, unless --choice has it; steptp strategies lists them");
  verb->add_option("--move", options->move, "instead of a strategy: the name of a move; steptp moves lists them")
      ->excludes(strategy);
  verb->add_option("--choice", options->choice,
                   "place and parameters as JSON, the line that choices prints, or @FILE with it");
  verb->add_option("--state", options->state, "keep the program and its steps in this file; begun with FILE");
  verb->add_flag("--undo", options->undo, "with --state: take the last step back, or the last move with all its steps");
  verb->add_option("--profile", options->profile, "how the program is printed: paper (the published text) or compact")
      ->check(CLI::IsMember({"paper", "compact"}))
      ->capture_default_str();
  verb->add_flag("--reasoning,--explain", options->reasoning,
                 "also the step in words: comments before the program, \"reasoning\" in JSON");
  verb->add_option("--seed", options->seed, "chooses among the phrasings of --reasoning");
  return [options] { return run_apply(*options); };
}

}  // namespace steptp::cli
