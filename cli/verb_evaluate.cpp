#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "cli/checks.h"
#include "cli/verb.h"
#include "cli/word_option.h"
#include "steptp/base/file.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/progress.h"
#include "steptp/base/text.h"
#include "steptp/evaluate/ask.h"
#include "steptp/evaluate/evaluate.h"
#include "steptp/evaluate/report.h"
#include "steptp/execution/object_cache.h"

namespace steptp::cli {

namespace {

struct EvaluateVerbOptions {
  std::string prompts;
  std::string answers;
  std::string write_prompts;
  std::string profile = "paper";
  QuestionOptions questions;
  std::string system_file;

  std::string endpoint;
  std::string api_key_variable;
  std::string log;
  double answer_seconds = 600;
  AskOptions ask;

  WantedBuild device = WantedBuild::none;
  double run_seconds = 60;
  std::string cache = ObjectCache::default_folder();
  EvaluateOptions evaluate;
  bool json = false;
  std::vector<std::string> reports;
};

Status bad_usage(std::string message) {
  print_error(make_error("usage", std::move(message), "steptp evaluate --help shows how it is called"));
  return Status::bad_input;
}

Status failed(const Diagnostic& diagnostic, Status status) {
  print_error(diagnostic);
  return status;
}

/// What is wrong with the words as a whole; empty where they make sense.
std::string misuse_of(const EvaluateVerbOptions& options) {
  const int ways =
      (options.answers.empty() ? 0 : 1) + (options.endpoint.empty() ? 0 : 1) + (options.write_prompts.empty() ? 0 : 1);
  if (ways != 1) return "evaluate needs exactly one of --answers, --endpoint and --write-prompts";
  if (!options.endpoint.empty() && options.ask.model.empty()) return "--endpoint needs --model";
  if (!options.endpoint.empty() && options.log.empty()) {
    return "--endpoint needs --log FILE: answers are kept there, and the same command goes on from it";
  }
  for (const std::string& report : options.reports) {
    if (!report.ends_with(".html") && !report.ends_with(".md") && !report.ends_with(".json"))
      return concat("--report '", report, "': a report is .html, .md or .json");
  }
  return "";
}

Status write_prompts(const std::vector<EvaluationCase>& cases, const std::string& path) {
  std::string out;
  for (const EvaluationCase& one : cases) append(out, to_json(one).dump(), "\n");
  if (path == "-") return write_out(out) ? Status::yes : Status::failed;
  const auto written = write_file(path, out);
  return written ? Status::yes : failed(written.error(), Status::failed);
}

/// Asks what is not answered yet. `status` is what the questions without an answer mean.
std::optional<std::vector<ModelAnswer>> ask_server(const std::vector<EvaluationCase>& cases,
                                                   const EvaluateVerbOptions& options,
                                                   std::vector<std::pair<std::string, std::string>>& unanswered,
                                                   Status& status) {
  ServerOptions server_options;
  server_options.base_url = options.endpoint;
  server_options.seconds = options.answer_seconds;
  if (!options.api_key_variable.empty()) {
    const char* key = std::getenv(options.api_key_variable.c_str());
    if (!key || !*key) {
      status = bad_usage(concat("--api-key-env: there is no $", options.api_key_variable));
      return std::nullopt;
    }
    server_options.api_key = key;
  }
  auto log = AnswerLog::open(options.log, log_header(cases, options.ask));
  if (!log) {
    status = failed(log.error(), log.error().id == "write" ? Status::failed : Status::bad_input);
    return std::nullopt;
  }
  // A log of which nothing was answered yet holds no answers, which is no error here.
  auto done = read_answers(options.log, cases);
  std::vector<ModelAnswer> answered = done ? std::move(done).value() : std::vector<ModelAnswer>();
  CurlClient client;
  ChatServer server(client, server_options);
  const std::size_t wanted = cases.size() * static_cast<std::size_t>(options.ask.attempts);
  Progress progress("ask", wanted - std::min(wanted, answered.size()));
  const Asked asked =
      ask_all(cases, answered, server, options.ask, *log, [&progress](std::size_t number) { progress.update(number); });
  if (asked.log_problem) {
    status = failed(*asked.log_problem, Status::failed);
    return std::nullopt;
  }
  if (asked.stopped) {
    const bool is_given_wrong = asked.stopped->kind == ChatFailure::Kind::unusable && !asked.stopped->is_our_machine;
    print_error(make_error(
        "endpoint", concat(options.endpoint, ": ", asked.stopped->message),
        is_given_wrong ? "look at --endpoint, --model and --api-key-env"
                       : concat("what was answered is in ", options.log, "; the same command goes on from there")));
    status = is_given_wrong ? Status::bad_input : Status::failed;
    return std::nullopt;
  }
  for (const Unanswered& one : asked.unanswered) {
    unanswered.emplace_back(cases[one.of_case].id, concat("attempt ", one.attempt, ", ", name_of(one.failure.kind),
                                                          ": ", one.failure.message));
  }
  if (!unanswered.empty()) {
    status = Status::failed;
    print_error(make_error("endpoint",
                           concat(unanswered.size(), " questions were not answered, first '", unanswered.front().first,
                                  "': ", unanswered.front().second),
                           "they do not count; the same command asks them again"));
  }
  auto all = read_answers(options.log, cases);
  return all ? std::move(all).value() : std::vector<ModelAnswer>();
}

Status write_reports(const Evaluation& evaluation, const EvaluateVerbOptions& options) {
  const Report report = report_of(evaluation, options.endpoint.empty() ? options.answers : options.ask.model);
  Status status = Status::yes;
  for (const std::string& path : options.reports) {
    const std::string text = path.ends_with(".html") ? to_html(report)
                             : path.ends_with(".md") ? to_markdown(report)
                                                     : to_json(evaluation).dump() + "\n";
    if (const auto written = write_file(path, text); !written) status = failed(written.error(), Status::failed);
  }
  const bool shown = write_out(options.json ? to_json(evaluation).dump() + "\n" : to_text(report));
  return shown ? status : Status::failed;
}

Status judge(const std::vector<EvaluationCase>& cases, const std::vector<ModelAnswer>& answers,
             std::vector<std::pair<std::string, std::string>> unanswered, EvaluateVerbOptions& options) {
  const auto place = find_build_place(options.device);
  if (!place) return failed(place.error(), Status::failed);
  std::unique_ptr<CandidatePool> pool;
  if (place->device) {
    CandidateOptions how;
    how.device = *place->device;
    how.seconds = options.run_seconds;
    how.cache = options.cache;
    const unsigned jobs = options.evaluate.jobs == 0 ? default_jobs() : options.evaluate.jobs;
    // Programs share the cores: one thread each where several run at a time.
    how.threads = jobs > 1 ? 1 : 0;
    pool = std::make_unique<CandidatePool>(how, usual_places(*place->device, jobs));
  }
  options.evaluate.judge.pool = pool.get();
  Progress progress("judge", cases.size());
  std::uint64_t done = 0;
  bool is_written = true;
  Evaluation evaluation =
      evaluate(cases, answers, options.evaluate, [&](const EvaluationCase& one, const JudgedCase& judged) {
        if (options.json) is_written = write_out(to_json(one, judged).dump() + "\n");
        progress.update(++done);
        return is_written;
      });
  if (!is_written) return Status::failed;
  if (pool) print_cache_problem(*pool);
  if (!evaluation.machine_problem.empty()) {
    return failed(make_error("build", concat("answers cannot be built here: ", evaluation.machine_problem),
                             "--device none judges without building"),
                  Status::failed);
  }
  evaluation.built_with = place->description;
  evaluation.is_run = place->device.has_value();
  evaluation.unanswered = std::move(unanswered);
  const Status status = write_reports(evaluation, options);
  if (evaluation.unusable.empty()) return status;
  print_error(
      make_error("prompts", concat(evaluation.unusable.size(), " questions cannot be used; the first is '",
                                   evaluation.unusable.front().first, "': ", evaluation.unusable.front().second)));
  return worse(status, Status::bad_input);
}

Status run_evaluate(EvaluateVerbOptions& options) {
  if (const std::string misuse = misuse_of(options); !misuse.empty()) return bad_usage(misuse);
  options.questions.profile = parse_profile(options.profile).value_or(Profile::paper);
  if (!options.system_file.empty()) {
    auto text = read_file(options.system_file);
    if (!text) return failed(text.error(), Status::bad_input);
    options.questions.system = std::move(text).value();
  }
  const auto cases = read_cases(options.prompts, options.questions);
  if (!cases) return failed(cases.error(), Status::bad_input);
  if (!options.write_prompts.empty()) return write_prompts(*cases, options.write_prompts);
  Status status = Status::yes;
  std::vector<std::pair<std::string, std::string>> unanswered;
  std::vector<ModelAnswer> answers;
  if (options.endpoint.empty()) {
    auto read = read_answers(options.answers, *cases, options.questions.limit > 0);
    if (!read) return failed(read.error(), Status::bad_input);
    answers = std::move(read).value();
  } else {
    auto asked = ask_server(*cases, options, unanswered, status);
    if (!asked) return status;
    answers = *std::move(asked);
  }
  return worse(status, judge(*cases, answers, std::move(unanswered), options));
}

void add_server_options(CLI::App& verb, EvaluateVerbOptions& options) {
  verb.add_option("--endpoint", options.endpoint, "a server that speaks OpenAI's protocol: http://host:port/v1");
  verb.add_option("--model", options.ask.model, "the name of the model there");
  verb.add_option("--api-key-env", options.api_key_variable,
                  "the environment variable that holds the key, if one is needed");
  verb.add_option("--log", options.log, "where answers of the server are kept; the same command goes on from it");
  verb.add_option("--attempts", options.ask.attempts, "how often each question is asked")
      ->check(between(1, 100000))
      ->capture_default_str();
  verb.add_option("--temperature", options.ask.temperature, "above 0, attempts have seeds of their own")
      ->check(not_negative())
      ->capture_default_str();
  verb.add_option("--max-tokens", options.ask.max_tokens, "the most tokens of one answer; 0 leaves it to the server")
      ->check(not_negative())
      ->capture_default_str();
  verb.add_flag("--stream", options.ask.stream, "receive answers piece by piece, as the model writes them");
  verb.add_option("--concurrency", options.ask.concurrency, "how many questions are asked at the same time")
      ->check(between(1, 1024))
      ->capture_default_str();
  verb.add_option("--timeout", options.answer_seconds, "how many seconds one answer may take")
      ->check(positive())
      ->capture_default_str();
  verb.add_option("--retries", options.ask.retry.retries,
                  "how often a question is asked again if the server was too busy or the connection broke")
      ->check(between(0, 100))
      ->capture_default_str();
  verb.add_option("--retry-wait", options.ask.retry.wait,
                  "seconds before the first retry; each further one waits twice as long")
      ->check(not_negative())
      ->capture_default_str();
}

void add_judge_options(CLI::App& verb, EvaluateVerbOptions& options) {
  add_word_option(verb, "--device", options.device,
                  "where programs are compiled and run as well; none: they are judged only; auto: a GPU with NVRTC, "
                  "otherwise this CPU");
  verb.add_option("--trials", options.evaluate.judge.trials,
                  "runs and judgements of each program, each with fresh inputs")
      ->check(between(1, 100))
      ->capture_default_str();
  verb.add_option("--seed", options.evaluate.judge.seed, "the seed of the first trial and of the first attempt")
      ->capture_default_str();
  verb.add_option("--judge-timeout", options.evaluate.judge.seconds, "seconds for one judgement; 0: no limit")
      ->check(not_negative())
      ->capture_default_str();
  verb.add_option("--run-timeout", options.run_seconds, "seconds for compiling and running one program once")
      ->check(positive())
      ->capture_default_str();
  verb.add_option("--budget", options.evaluate.judge.budget, "how many operations one judgement may take")
      ->capture_default_str();
  verb.add_option("--cache", options.cache, "folder for compiled code; empty: none");
  verb.add_option("--k", options.evaluate.k, "report pass@k for these k; without it for 1, 2, 5, 10, 16, ...")
      ->delimiter(',')
      ->check(positive());
  verb.add_option("--jobs,-j", options.evaluate.jobs, "how many cases are judged at the same time; 0 means all cores")
      ->capture_default_str();
  verb.add_flag("--json", options.json, "one JSON object per case on standard output, and one with the summary");
  verb.add_option("--report", options.reports, "also write the report to these files: .html, .md or .json");
}

}  // namespace

VerbMain add_evaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateVerbOptions>();
  CLI::App* verb = app.add_subcommand("evaluate", "judge a model's answers");
  verb->footer(
      "Every answer is read, checked, and judged against the program of its question. With --device its programs are\n"
      "compiled and run as well.\n"
      "Questions are rows of a dataset or plain programs; answers come from a file or from a live server.\n"
      "Exit status: 0 judged, 2 bad input, 4 a dead server, questions without an answer, or a machine that cannot "
      "build.\n"
      "Example: steptp evaluate --prompts test.jsonl --answers answers.jsonl --report report.html\n"
      "         steptp evaluate --prompts test.jsonl --endpoint http://127.0.0.1:8000/v1 --model NAME --log log.jsonl\n"
      "         steptp evaluate --prompts programs.jsonl --write-prompts questions.jsonl");
  verb->add_option("--prompts", options->prompts,
                   "questions: rows of a dataset with signature and program, or plain programs (.jsonl, .leir)")
      ->required();
  verb->add_option(
      "--answers", options->answers,
      "a .jsonl file of answers, each with the id of its question; several of one id are several attempts");
  verb->add_option("--write-prompts", options->write_prompts,
                   "only write the questions to this file, to ask them elsewhere; - is standard output");
  verb->add_option("--profile", options->profile, "the spelling in which questions show plain programs")
      ->check(one_of({"paper", "compact"}))
      ->capture_default_str();
  verb->add_option("--programs", options->questions.programs,
                   "how many programs one question asks for, unless its row says so")
      ->check(between(1, 1000))
      ->capture_default_str();
  verb->add_option("--system", options->system_file,
                   "a file with a text that stands before each question, such as docs/leir_in_a_page.md");
  verb->add_option("--limit", options->questions.limit, "use only the first N questions; 0 means all")
      ->capture_default_str();
  add_server_options(*verb, *options);
  add_judge_options(*verb, *options);
  return [options] {
    options->ask.seed = options->evaluate.judge.seed;
    return run_evaluate(*options);
  };
}

}  // namespace steptp::cli
