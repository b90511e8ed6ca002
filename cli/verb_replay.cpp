#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/checks.h"
#include "cli/move_options.h"
#include "cli/strategy_options.h"
#include "steptp/base/file.h"
#include "steptp/base/fresh_seed.h"
#include "steptp/base/old_file.h"
#include "steptp/base/text.h"
#include "steptp/documents/judged_chain.h"
#include "steptp/recipe/facts_json.h"
#include "steptp/text/printer.h"

namespace steptp::cli {

namespace {

struct ReplayOptions {
  RecordOptions records;
  std::string recipe;
  std::string plan;
  std::string certificate;
  bool judge = false;
  bool require_safe = false;
  std::optional<std::uint64_t> seed;
  double timeout = 0;
};

/// What is printed where a step of the recipe is refused.
Answer stopped_answer(const Document& document, const Stopped& stopped, std::size_t steps, bool json) {
  Answer answer;
  answer.status = status_of(stopped.refusal);
  answer.err = concat(document.source->name(), ": ", to_text(stopped, steps), "\n");
  if (!json) return answer;
  Json out;
  out.set("step", stopped.step).set("strategy", stopped.strategy);
  answer.out = out.set("refused", to_json(stopped.refusal)).dump() + "\n";
  return answer;
}

Answer replay_recipe(const Document& document, const Recipe& recipe, bool json) {
  Answer answer = unusable(document, json);
  if (answer.status != Status::yes) return answer;
  const auto replayed = replay(document.program, recipe);
  if (!replayed) return stopped_answer(document, replayed.error(), recipe.size(), json);
  Json out;
  if (json)
    answer.out = out.set("leir", print(replayed->program)).set("steps", recipe.size()).dump() + "\n";
  else
    answer.out = program_text(document, replayed->program);
  return answer;
}

Status status_of(Grade verdict, const ApartAnswer& end, bool require_safe) {
  if (end.unusable) return Status::bad_input;
  switch (verdict) {
    case Grade::proved:
    case Grade::exact: break;
    case Grade::numeric:
    case Grade::undecided: return Status::undecided;
    case Grade::differs:
    case Grade::invalid: return Status::no;
  }
  if (!require_safe || end.says("safe")) return Status::yes;
  const Json* safe = end.answer.find("safe");
  return safe && safe->as_bool() ? Status::no : Status::undecided;
}

ApartOptions judging_of(const ReplayOptions& options) {
  ApartOptions how;
  how.command = {"/proc/self/exe", std::string(kJudgeWorkerWord)};
  how.judge.seed = options.seed ? *options.seed : fresh_seed();
  how.seconds = options.timeout;
  how.with_certificate = !options.certificate.empty();
  return how;
}

/// What was judged, a JudgedRecipe or a JudgedChain, as comments before the program.
template <typename Judged>
Answer judged_answer(const Document& document, const Judged& judged, const ReplayOptions& options) {
  Answer answer;
  answer.status = status_of(judged.verdict(), judged.end, options.require_safe);
  answer.out = options.records.json ? to_json(judged).dump() + "\n"
                                    : as_comments(to_text(judged)) + program_text(document, judged.program);
  return answer;
}

/// The steps judged one by one, then the program, with the judgement as comments before it.
Answer judge_steps(const Document& document, const Recipe& recipe, const ReplayOptions& options) {
  const auto judged = judge_recipe(document, recipe, judging_of(options));
  if (!judged) return stopped_answer(document, judged.error(), recipe.size(), options.records.json);
  return judged_answer(document, *judged, options);
}

/// Whatever the answer will be, the certificate of an answer before is none to this question.
Answer without_old_certificate(const ReplayOptions& options) {
  Answer answer;
  if (const auto removed = remove_old(options.certificate); !removed) {
    answer.status = Status::failed;
    answer.err = render(removed.error(), Source("steptp", ""));
  }
  return answer;
}

/// The end judged against the root, and where that is not shown what lies between the cuts, then halves of it.
Answer judge_parts(const Document& document, const Recipe& recipe, const std::vector<std::size_t>& cuts,
                   const ReplayOptions& options) {
  const auto judged = judge_chain(document, recipe, cuts, judging_of(options));
  if (!judged) return stopped_answer(document, judged.error(), recipe.size(), options.records.json);
  Answer answer = judged_answer(document, *judged, options);
  if (options.certificate.empty()) return answer;
  const std::string certificate = judged->certificate(document.program.name);
  if (certificate.empty()) {
    append(answer.err, document.source->name(), ": no certificate: nothing supports the verdict ",
           name_of(judged->verdict()), "\n");
  } else if (const auto written = write_file(options.certificate, certificate); !written) {
    answer.status = Status::failed;
    answer.err += render(written.error(), Source("steptp", ""));
  }
  return answer;
}

/// After how many steps each move of a plan ends.
std::vector<std::size_t> ends_of_moves(const Program& root, const Plan& plan) {
  std::vector<std::size_t> out;
  std::size_t steps = 0;
  Program program = root;
  for (const PlannedMove& move : plan.moves) {
    const auto moved = replay(program, Plan{{}, {}, {move}}, Tracking::off);
    steps += moved->recipe.size();
    out.push_back(steps);
    program = moved->program;
  }
  return out;
}

Answer judge_plan(const Document& document, const Plan& plan, const ReplayOptions& options) {
  Answer answer = without_old_certificate(options);
  if (answer.status != Status::yes) return answer;
  // A plan that does not fit, or stops, is answered as without --judge.
  answer = replay_plan(document, plan, options.plan, options.records.json);
  if (answer.status != Status::yes) return answer;
  const Recipe recipe = replay(document.program, plan, Tracking::off)->recipe;
  return judge_parts(document, recipe, ends_of_moves(document.program, plan), options);
}

Answer judge_recipe_of(const Document& document, const Recipe& recipe, const ReplayOptions& options) {
  Answer answer = without_old_certificate(options);
  if (answer.status == Status::yes) answer = unusable(document, options.records.json);
  if (answer.status != Status::yes) return answer;
  return options.certificate.empty() ? judge_steps(document, recipe, options)
                                     : judge_parts(document, recipe, {}, options);
}

/// What is wrong with the words as a whole; null where they make sense.
const char* misuse_of(const ReplayOptions& options) {
  if (options.recipe.empty() && options.plan.empty()) return "neither --recipe nor --plan is given";
  if (!options.certificate.empty() && options.records.file.ends_with(".jsonl")) {
    return "--certificate is of one program, not of a .jsonl file";
  }
  if (options.judge) return nullptr;
  if (options.require_safe || options.seed || options.timeout > 0 || !options.certificate.empty()) {
    return "--require-safe, --seed, --timeout and --certificate work only with --judge";
  }
  return nullptr;
}

Status replay_file(const ReplayOptions& options) {
  const bool json = options.records.json;
  if (!options.plan.empty()) {
    const auto plan = read_plan(options.plan);
    if (!plan) return bad_input(plan.error());
    return for_each_record(options.records.file, options.records.jobs, "replay", [&](const Document& document) {
      return options.judge ? judge_plan(document, *plan, options) : replay_plan(document, *plan, options.plan, json);
    });
  }
  const auto text = read_json_option(options.recipe, "@" + options.recipe);
  if (!text) return bad_input(text.error());
  const auto recipe = recipe_from_json(*text);
  if (!recipe) return bad_input(make_error("record", concat(options.recipe, ": ", recipe.error())));
  return for_each_record(options.records.file, options.records.jobs, "replay", [&](const Document& document) {
    return options.judge ? judge_recipe_of(document, *recipe, options) : replay_recipe(document, *recipe, json);
  });
}

}  // namespace

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
      "With --judge every step of a recipe is judged as `steptp verify` does, and the end against the root: the grade\n"
      "of the steps is the worst of them, their chance of error is the sum, and `safe` is that of the end against the\n"
      "root. Of a plan, and with --certificate, the end is judged first; where that is not shown, move by move, and\n"
      "what is not shown there by halves, down to steps. The certificate is then that of the whole chain, and\n"
      "steptp-replay confirms it.\n"
      "Exit status: 0 done (with --judge: equal), 1 a step was refused (which one and why) or the programs differ,\n"
      "2 bad input, 3 undecided.\n"
      "Example: steptp replay matmul.leir --recipe tiles.json --judge");
  add_record_options(*verb, options->records);
  auto* recipe_file = verb->add_option("--recipe", options->recipe, "the JSON file with the recipe");
  verb->add_option("--plan", options->plan, "instead of a recipe: the JSON file with the plan")->excludes(recipe_file);
  verb->add_flag("--judge", options->judge,
                 "judge each step, and the end against the root: comments before the program, more keys in JSON");
  verb->add_flag("--require-safe", options->require_safe,
                 "with --judge: exit with 1 if the end is equal but not safe, and with 3 if that is not known");
  verb->add_option("--seed", options->seed,
                   "with --judge: the seed of every judgement; without it a fresh one is drawn");
  verb->add_option("--certificate", options->certificate,
                   "with --judge: write what supports the verdict to this file, for steptp-replay; of one program");
  verb->add_option("--timeout", options->timeout, "with --judge: how many seconds one judgement may take")
      ->check(positive());
  return [options] {
    if (const char* misuse = misuse_of(*options)) {
      return bad_input(make_error("usage", misuse, "steptp replay --help explains both"));
    }
    return replay_file(*options);
  };
}

}  // namespace steptp::cli
