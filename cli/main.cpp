// steptp: one binary, one verb per file (cli/verb_*.cpp), all of them thin faces over the library.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/checks.h"
#include "cli/interrupts.h"
#include "cli/nearest.h"
#include "cli/verb.h"
#include "steptp/base/text.h"
#include "steptp/dataset/build.h"
#include "steptp/measure/candidates.h"
#include "steptp/verify/judge_worker.h"

namespace steptp::cli {

Invocation& invocation() {
  static Invocation invocation;
  return invocation;
}

void add_record_options(CLI::App& verb, RecordOptions& options) {
  verb.add_option("FILE", options.file, "a .leir, .json or .jsonl file, or - for standard input")->required();
  verb.add_flag("--json", options.json, "print one JSON object per program on standard output");
  verb.add_option("--jobs,-j", options.jobs, "how many threads work on a file of many programs; 0 means all cores")
      ->capture_default_str();
}

namespace {

using Verbs = std::vector<std::pair<std::string, VerbMain>>;

/// The parser would only say that some verb is wanted.
bool names_a_verb(int argc, char** argv, const Verbs& verbs) {
  std::vector<std::string_view> names;
  for (const auto& [name, verb] : verbs) names.push_back(name);
  std::string list = concat("the verbs are ", join(names, " ", [](std::string_view name) { return name; }));
  if (argc < 2) {
    print_error(make_error("usage", "no verb is given", list + "; steptp --help says what each does"));
    return false;
  }
  const std::string_view word = argv[1];
  if (word.starts_with('-') || std::find(names.begin(), names.end(), word) != names.end()) return true;
  const std::string_view meant = nearest(word, names);
  print_error(make_error("usage", concat("unknown verb '", word, "'"),
                         meant.empty() ? list : concat("did you mean ", meant, "? ", list)));
  return false;
}

/// What the parser says, as we say it.
std::string spoken(std::string_view said) {
  constexpr std::string_view kConvert = "Could not convert: ";
  constexpr std::string_view kRequired = " is required";
  constexpr std::string_view kUnexpected = "The following argument was not expected: ";
  constexpr std::string_view kUnexpectedOnes = "The following arguments were not expected: ";
  if (said.starts_with(kConvert)) {
    const std::string_view rest = said.substr(kConvert.size());
    const std::size_t sign = rest.find(" = ");
    if (sign != rest.npos) return concat(rest.substr(0, sign), " does not take '", rest.substr(sign + 3), "'");
  }
  if (said.ends_with(kRequired)) return concat(said.substr(0, said.size() - kRequired.size()), " is missing");
  if (said.starts_with(kUnexpected)) return concat("nothing is known of '", said.substr(kUnexpected.size()), "' here");
  if (said.starts_with(kUnexpectedOnes)) {
    return concat("nothing is known of these here: ", said.substr(kUnexpectedOnes.size()));
  }
  return std::string(said);
}

int run(int argc, char** argv) {
  CLI::App app("Verified steps on tensor programs written in LEIR, a loop-equation IR.");
  app.name("steptp");
  app.set_version_flag("--version", "steptp " STEPTP_VERSION);
  app.require_subcommand(1);
  app.footer(
      "A first minute:\n"
      "  steptp fmt program.leir                     the canonical text\n"
      "  steptp fmt --profile compact program.leir   the same program in fewer tokens\n"
      "  steptp check program.leir                   are its accesses safe?\n"
      "  steptp run program.leir                     execute it, exactly as written\n"
      "  steptp verify before.leir after.leir        are two programs equal, and how do we know?\n"
      "  steptp choices program.leir                 which steps can be made on it?\n"
      "  steptp optimize program.leir                a fast form of it, verified\n"
      "  steptp search program.leir --device cpu     a faster one, found by trying many\n"
      "  steptp time program.leir --against old.leir how fast is it?\n"
      "  steptp dataset build --out D --programs 100 a dataset of verified steps\n"
      "Every verb explains itself: steptp check --help. Exit status: 0 yes, 1 no, 2 bad input, 3 undecided, 4 failed.");
  Verbs verbs;
  verbs.emplace_back("fmt", add_fmt(app));
  verbs.emplace_back("check", add_check(app));
  verbs.emplace_back("run", add_run(app));
  verbs.emplace_back("verify", add_verify(app));
  verbs.emplace_back("import", add_import(app));
  verbs.emplace_back("strategies", add_strategies(app));
  verbs.emplace_back("moves", add_moves(app));
  verbs.emplace_back("explain", add_explain(app));
  verbs.emplace_back("choices", add_choices(app));
  verbs.emplace_back("apply", add_apply(app));
  verbs.emplace_back("replay", add_replay(app));
  verbs.emplace_back("optimize", add_optimize(app));
  verbs.emplace_back("search", add_search(app));
  verbs.emplace_back("kernelbench", add_kernelbench(app));
  verbs.emplace_back("lower", add_lower(app));
  verbs.emplace_back("time", add_time(app));
  verbs.emplace_back("estimate", add_estimate(app));
  verbs.emplace_back("device", add_device(app));
  verbs.emplace_back("evaluate", add_evaluate(app));
  verbs.emplace_back("tokens", add_tokens(app));
  verbs.emplace_back("grammar", add_grammar(app));
  verbs.emplace_back("zoo", add_zoo(app));
  verbs.emplace_back("dataset", add_dataset(app));
  verbs.emplace_back("tlm", add_tlm(app));
  refuse_negative_counts(app);
  if (!names_a_verb(argc, argv, verbs)) return static_cast<int>(Status::bad_input);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    const std::string verb = argv[1][0] == '-' ? "steptp" : concat("steptp ", argv[1]);
    print_error(make_error("usage", spoken(error.what()), concat(verb, " --help shows how it is called")));
    return static_cast<int>(Status::bad_input);
  }
  for (const auto& [name, verb] : verbs) {
    if (app.got_subcommand(name)) return static_cast<int>(verb());
  }
  return static_cast<int>(Status::bad_input);
}

/// What steptp starts itself as, to compile and run programs (measure/candidates.h); no verb for people.
int be_worker(const char* memory_bytes, const char* gpu) {
  const WorkerLimits limits{std::strtoull(memory_bytes, nullptr, 10)};
  return run_candidate_worker(Worker::kDescriptor, limits, std::atoi(gpu));
}

}  // namespace

}  // namespace steptp::cli

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "dataset-worker") {
    return steptp::dataset::run_dataset_worker(steptp::Worker::kDescriptor, std::strtoull(argv[2], nullptr, 10));
  }
  if (argc == 2 && argv[1] == steptp::cli::kJudgeWorkerWord) {
    return steptp::run_judge_worker(steptp::Worker::kDescriptor);
  }
  if (argc == 4 && std::string_view(argv[1]) == "worker") return steptp::cli::be_worker(argv[2], argv[3]);
  if (argc > 1 && argv[1] == steptp::cli::Invocation::kWorkerWord) {
    steptp::cli::invocation().is_worker = true;
    argv[1] = argv[0];
    ++argv;
    --argc;
  }
  steptp::cli::invocation().words.assign(argv + 1, argv + argc);
  // What ends with a good answer does so from its first moment on: reading the command line takes a while already.
  if (argc > 1 && std::string_view(argv[1]) == "optimize") steptp::cli::note_interrupts();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write(), not the end of the process
  try {
    return steptp::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("steptp: error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "steptp: internal error: %s\nPlease report this with the input that caused it.\n",
                 error.what());
  }
  return static_cast<int>(steptp::cli::Status::failed);
}
