#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/checks.h"
#include "cli/search_options.h"
#include "cli/verb.h"
#include "cli/word_option.h"
#include "steptp/base/text.h"

namespace steptp::cli {

namespace {

constexpr std::string_view kActions[] = {"resume", "show", "stats", "best", "report", "measure", "train"};

constexpr const char* kFooter =
    "A search starts from the program as it came and asks a proposer for candidates, again and again. Every candidate\n"
    "is checked and judged, and what is shown equal and safe is timed. The algorithm decides which program is asked\n"
    "about next. The winner is judged against the program as it came once more, with other draws.\n"
    "Everything is kept in the folder of --journal before it is used, so that a search that was ended goes on:\n"
    "  steptp search resume DIR        go on; --samples gives it another budget\n"
    "  steptp search show DIR          what was tried, as a tree\n"
    "  steptp search stats DIR         what became of the candidates, in numbers\n"
    "  steptp search best DIR -o OUT   the winner: program, plan, recipe, verdict, certificates, CUDA text\n"
    "  steptp search report DIR...     rows, tables and curves of one or several searches\n"
    "  steptp search measure FILE -o ROWS   times of --samples drawn plans of each program, for the cost model\n"
    "  steptp search train ROWS... --target D -o MODEL   the cost model, and how good it is on types it never saw\n"
    "Devices: analytic (what is expected of a program; nothing runs), analytic:NAME, cpu, cuda, recorded:FILE.\n"
    "Exit status: 0 done, also where nothing faster was found; 2 bad input; 3 check cannot decide whether\n"
    "accesses are in range; 4 the machine or the server failed, and the search can be resumed.\n"
    "Example: steptp search examples/row_softmax.leir --device cpu --samples 12 --journal found";

void add_search_options(CLI::App& verb, SearchOptions& options) {
  add_word_option(verb, "--algorithm", options.settings.algorithm, "which program is asked about next");
  add_word_option(verb, "--proposer", options.settings.proposer,
                  "rules: moves that are expected to be fast; random: any moves; ...-atomic: single steps; tlm: "
                  "sentences of a tensor language model; replay: what another search proposed; model: a language "
                  "model; command: one of your own");
  verb.add_option(
      "--from", options.settings.proposer_source,
      "replay: the journal to take candidates from; tlm: a file of weights instead of those that come with the "
      "program for the device; command: a shell command that speaks JSON lines");
  verb.add_option("--device", options.device, "where programs are timed")->capture_default_str();
  verb.add_option("--target", options.target,
                  "the device that plans are made for, where that is not the one above; steptp device lists them");
  verb.add_option("--samples", options.settings.budget.samples,
                  "how many programs are judged or timed, the program as it came included; 0 means no limit")
      ->check(not_negative())
      ->capture_default_str();
  verb.add_option("--device-seconds", options.settings.budget.device_seconds,
                  "end after so many seconds of measuring; 0 means no limit")
      ->check(not_negative())
      ->capture_default_str();
  verb.add_option("--tokens", options.settings.budget.tokens, "end after so many tokens of a model; 0 means no limit")
      ->check(not_negative())
      ->capture_default_str();
  verb.add_flag("--published", options.settings.published,
                "the settings of the published searches, which end by themselves");
  verb.add_option("--seed", options.settings.seed, "of draws, judgements and inputs")->capture_default_str();
  verb.add_option("--journal", options.journal, "the folder that the search is kept in; without it nothing is kept");
  verb.add_option("--judge-seconds", options.settings.judge_seconds, "the most seconds for judging one plan")
      ->check(positive())
      ->capture_default_str();
  verb.add_flag("--warm", options.settings.warm, "do not empty caches between repetitions");
  verb.add_flag("!--analytic", options.settings.uses_cost_model,
                "expect of plans what the analytic model says alone, without the cost model of the device");
  verb.add_flag("--timing", options.settings.with_clock, "say how many seconds the search took");
  verb.add_option(
      "--claims", options.claims,
      "a file that says what this search is to show, written beforehand: its SHA-256 is kept in the journal "
      "and in the row");
  verb.add_option("--baseline", options.baseline,
                  "a .jsonl file with times of PyTorch for the same programs, by \"id\" or the program's name, in "
                  "microseconds: vanilla_us, eager_us, compile_us, eager_graph_us, compile_graph_us, vendor_us");
}

void add_model_options(CLI::App& verb, search::ModelSettings& model) {
  verb.add_option("--endpoint", model.endpoint, "a server that speaks OpenAI's protocol: http://host:port/v1");
  verb.add_option("--model", model.model, "the name of the model there");
  add_word_option(verb, "--server", model.server, "how the server takes a grammar for its answers; plain: not at all");
  verb.add_option("--api-key-env", model.api_key_variable,
                  "the environment variable that holds the key, if one is needed");
  verb.add_option("--temperature", model.temperature, "of the model")->check(not_negative())->capture_default_str();
  verb.add_option("--max-tokens", model.max_tokens, "the most tokens of one answer; 0 leaves it to the server")
      ->check(not_negative())
      ->capture_default_str();
  verb.add_flag("--stream", model.stream, "receive answers piece by piece");
  verb.add_option("--answer-timeout", model.seconds, "how many seconds one answer may take")
      ->check(positive())
      ->capture_default_str();
  verb.add_option("--retries", model.retries, "how often a question is asked again if the server was too busy")
      ->check(between(0, 100))
      ->capture_default_str();
  verb.add_option("--retry-wait", model.retry_wait, "seconds before the first retry; each further one waits longer")
      ->check(not_negative())
      ->capture_default_str();
}

bool is_action(const std::string& word) {
  return std::find(std::begin(kActions), std::end(kActions), word) != std::end(kActions);
}

Status run(SearchOptions& options, const CLI::App& verb) {
  if (!is_action(options.words.front())) {
    if (options.words.size() > 1)
      return bad_search(concat("one FILE is searched at a time, and '", options.words[1], "' is a second one"));
    options.file = options.words.front();
    options.has_samples = verb.get_option("--samples")->count() > 0;
    return start_search(options);
  }
  const std::string action = options.words.front();
  if (action == "measure") {
    if (options.words.size() != 2) return bad_search("steptp search measure wants one FILE of programs");
    options.file = options.words[1];
    return measure_for_cost_model(options);
  }
  options.folders.assign(options.words.begin() + 1, options.words.end());
  if (options.folders.empty() || (options.folders.size() > 1 && action != "report" && action != "train"))
    return bad_search(concat("steptp search ", action, " wants the folder of a search",
                             action == "report" || action == "train" ? "" : ", one"));
  if (action == "resume") {
    options.has_samples = verb.get_option("--samples")->count() > 0;
    return resume_search(options);
  }
  if (action == "train") return train_cost_model(options);
  if (action == "show") return show_search(options);
  if (action == "stats") return search_stats(options);
  if (action == "best") return best_of_search(options);
  return report_searches(options);
}

}  // namespace

VerbMain add_search(CLI::App& app) {
  auto options = std::make_shared<SearchOptions>();
  CLI::App* verb = app.add_subcommand("search", "find a faster program by trying many, each verified");
  verb->footer(kFooter);
  verb->add_option("FILE", options->words,
                   "a .leir, .json, .jsonl, .pt2 or .py file; or resume, show, stats, best, report, measure, train and "
                   "what they work on")
      ->required();
  add_search_options(*verb, *options);
  add_model_options(*verb, options->settings.model);
  verb->add_option("--output,-o", options->output,
                   "best: the folder for the winner; report: the folder for the report");
  verb->add_option("--python", options->python, "the Python that has PyTorch, for a .py file")->capture_default_str();
  verb->add_flag("--json", options->json, "print one JSON object per program on standard output");
  verb->add_option("--jobs,-j", options->jobs, "how many candidates are judged at the same time; 0 means all cores")
      ->capture_default_str();
  add_worker_options(*verb, options->workers);
  return [options, verb] { return run(*options, *verb); };
}

}  // namespace steptp::cli
