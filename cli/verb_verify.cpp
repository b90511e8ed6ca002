#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>

#include "cli/checks.h"
#include "cli/record_workers.h"
#include "cli/verb.h"
#include "cli/verify_text.h"
#include "steptp/base/file.h"
#include "steptp/base/fresh_seed.h"
#include "steptp/base/old_file.h"
#include "steptp/base/text.h"
#include "steptp/verify/certificate.h"
#include "steptp/verify/judge_worker.h"
#include "steptp/verify/replay_pair.h"

namespace steptp::cli {

namespace {

struct Options {
  std::string before;
  std::string after;
  std::string pairs;
  std::string counterexample;
  std::string certificate;
  std::string replay;
  VerifyOptions judge;
  std::optional<std::uint64_t> seed;
  std::string accept;
  double timeout = 0;
  std::string range = "middle";
  bool require_safe = false;
  bool json = false;
  bool timing = false;
  unsigned jobs = 0;
};

Status status_of_judgement(const Judgement& judgement, const Options& options) {
  if (judgement.unusable) return Status::bad_input;
  const auto accepted = [&] {
    if (!options.require_safe || judgement.is_safe()) return Status::yes;
    return judgement.safe == Shown::no ? Status::no : Status::undecided;
  };
  switch (judgement.verdict) {
    case Grade::proved:
    case Grade::exact: return accepted();
    case Grade::numeric: return options.accept == "numeric" ? accepted() : Status::undecided;
    case Grade::undecided: return Status::undecided;
    case Grade::differs:
    case Grade::invalid: return Status::no;
  }
  return Status::no;
}

/// False where the file could not be written.
bool keep(const std::string& file, const Json& content) {
  const auto written = write_file(file, content.dump() + "\n");
  if (!written) print_error(written.error());
  return written.ok();
}
bool keep_counterexample(const std::string& file, const Pair& pair, const Judgement& judgement) {
  if (judgement.counterexample) return keep(file, replay_record(pair, *judgement.counterexample));
  return !judgement.unsafe || keep(file, replay_record(pair, *judgement.unsafe));
}
/// A pair that cannot be compared has no certificate.
bool keep_certificate(const std::string& file, const Pair& pair, const Judgement& judgement) {
  return !problem_of(pair).empty() || keep(file, certificate(pair, judgement));
}

using Milliseconds = std::chrono::duration<double, std::milli>;

/// What is printed of a judgement.
Answer answer_of(const std::string& id, const Judgement& judgement, Milliseconds spent, const Options& options) {
  Answer answer;
  answer.status = status_of_judgement(judgement, options);
  if (options.json) {
    Json out = to_json(id, judgement);
    if (options.timing) out.set("ms", spent.count());
    answer.out = out.dump() + "\n";
    return answer;
  }
  answer.out = concat(id.empty() ? "" : id + ": ",
                      report(judgement, options.timing ? std::optional(spent.count()) : std::nullopt));
  return answer;
}

struct Judged {
  Judgement judgement;
  Milliseconds spent{};
};

Judged judge(const Pair& pair, const Options& options) {
  Judged out;
  const auto start = std::chrono::steady_clock::now();
  std::atomic<bool> stop = false;
  VerifyOptions how = options.judge;
  how.seed = options.seed ? *options.seed : fresh_seed();  // Drawn after the pair was read.
  out.judgement = verify_in_time(pair, how, options.timeout, stop);
  out.spent = std::chrono::steady_clock::now() - start;
  return out;
}

Answer judge_record(const std::string& name, const std::string& record, const Options& options) {
  const Pair pair = read_pair(name, record);
  const Judged judged = judge(pair, options);
  return answer_of(pair.id, judged.judgement, judged.spent, options);
}

/// Pairs of a file, each judged in a process that may end over it.
Status judge_pairs(const Options& options) {
  const RecordWorkers::Verb here = [&](const std::string& name, const std::string& record) {
    return judge_record(name, record, options);
  };
  if (invocation().is_worker) return RecordWorkers::serve({kJudgeMemory, true}, here);
  RecordWorkers workers(options.jobs, options.timeout);
  return for_each_line(options.pairs, options.jobs, "verify", [&](const std::string& name, const std::string& record) {
    return workers.ask(name, record, here, [&](const std::string& why) {
      return answer_of(read_pair(name, record).id, failed_judgement(why), {}, options);
    });
  });
}

Answer repeat(const ReplayRecord& record, bool json) {
  const ReplayAnswer found = replay_pair(record);
  const certify::Counterexample& example = record.counterexample;
  Answer answer;
  answer.status = found.unusable ? Status::bad_input : found.reproduced ? Status::yes : Status::no;
  if (json) {
    answer.out = to_json(record, found).dump() + "\n";
    return answer;
  }
  answer.out = concat(record.pair.id.empty() ? "" : record.pair.id + ": ",
                      found.reproduced ? "reproduced" : "not reproduced", "\n");
  if (!found.reason.empty()) append(answer.out, "  ", found.reason, "\n");
  if (found.unusable) return answer;
  if (record.unsafe) {
    append(answer.out, "  at ", subscripted(record.unsafe->output, record.unsafe->index), " after has ",
           found.what.empty() ? "no fault" : found.what, "\n    with\n", given_text(record.unsafe->given));
    return answer;
  }
  append(answer.out, "  at ", subscripted(example.output, example.index), " (draw ", example.draw, ", seed ",
         std::to_string(example.seed), ")\n    before  ", found.before, "\n    after   ", found.after, "\n");
  return answer;
}

/// Judges, prints, and writes the files that were asked for.
Status judge_and_keep(const Pair& pair, const Options& options) {
  const Judged judged = judge(pair, options);
  Answer answer = answer_of(pair.id, judged.judgement, judged.spent, options);
  if (judged.judgement.counterexample && !options.json) answer.out += illustration_text(pair);
  if (!options.counterexample.empty() && !keep_counterexample(options.counterexample, pair, judged.judgement)) {
    answer.status = Status::failed;
  }
  if (!options.certificate.empty() && !keep_certificate(options.certificate, pair, judged.judgement)) {
    answer.status = Status::failed;
  }
  return write_out(answer.out) ? answer.status : Status::failed;
}

/// The same in a copy of this process, which has no other thread: where the judge ends it, there is an answer too.
Status judge_in_copy(const Pair& pair, const Options& options) {
  std::fflush(nullptr);
  const pid_t owner = getpid();
  const pid_t copy = fork();
  if (copy < 0) return judge_and_keep(pair, options);
  if (copy == 0) {
    // Whoever kills this program leaves no judge running.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != owner) _exit(static_cast<int>(Status::failed));
    Status status = Status::failed;
    try {
      status = judge_and_keep(pair, options);
    } catch (const std::exception& error) {
      print_error(make_error("internal", error.what()));
    }
    std::fflush(nullptr);
    _exit(static_cast<int>(status));
  }
  int ended = 0;
  while (waitpid(copy, &ended, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(ended)) return static_cast<Status>(WEXITSTATUS(ended));
  const std::string why = concat("ended by signal ", WTERMSIG(ended), " (", strsignal(WTERMSIG(ended)), ")");
  const Answer answer = answer_of(pair.id, failed_judgement(why), {}, options);
  return write_out(answer.out) ? answer.status : Status::failed;
}

Status judge_files(const Options& options) {
  std::vector<Document> documents;
  for (const std::string& file : {options.before, options.after}) {
    auto text = read_file(file);
    if (!text) return print_error(text.error()), Status::bad_input;
    documents.push_back(read_document(file, std::move(text).value()));
  }
  const Pair pair = make_pair(std::move(documents[0]), std::move(documents[1]));
  for (const Document* document : {&pair.before, &pair.after}) {
    if (!document->ok) std::fputs(render(document->diagnostics, *document->source).c_str(), stderr);
  }
  // Whatever the answer will be, those of an answer before are none to this pair.
  for (const std::string& file : {options.counterexample, options.certificate}) {
    if (const auto old = remove_old(file); !old) return print_error(old.error()), Status::failed;
  }
  return judge_in_copy(pair, options);
}

/// What is wrong with the words as a whole; null where they make sense.
const char* misuse_of(const Options& options) {
  const bool has_files = !options.before.empty();
  const int ways = (has_files ? 1 : 0) + (options.pairs.empty() ? 0 : 1) + (options.replay.empty() ? 0 : 1);
  if (ways > 1) return "verify takes one of: BEFORE and AFTER, --pairs, --replay";
  if (ways == 0 || (has_files && options.after.empty())) return "verify needs BEFORE and AFTER, or --pairs F.jsonl";
  if (!has_files && !options.counterexample.empty()) return "--counterexample works only with BEFORE and AFTER";
  if (!has_files && !options.certificate.empty()) return "--certificate works only with BEFORE and AFTER";
  return nullptr;
}

constexpr const char* kFooter =
    "The answer is one of\n"
    "  proved     one normal form: holds for every input and every element\n"
    "  exact      equal on cells that cover every output, or at every element; the chance of an error is stated\n"
    "  numeric    strong evidence, which does not count as equal without --accept numeric\n"
    "  differs    with a counterexample\n"
    "  undecided  with what stood in the way; never equal\n"
    "  invalid    AFTER is unreadable, fails check, or changes the signature\n"
    "Exit status: 0 equal, 1 differs or invalid, 2 BEFORE or the input is unusable, 3 undecided or numeric.\n"
    "Equal programs are also compared by bounds of their rounding errors: safe by proof, safe as far as a search can\n"
    "tell, or not safe, with inputs at which AFTER may overflow, be NaN, divide by zero or decide otherwise within "
    "its\n"
    "bound, or at which the bound itself is more than 8 times that of BEFORE and 4 units in the last place. What\n"
    "running shows at these inputs may be less: bounds count sums in any order.\n"
    "Each pair is judged with a seed that is drawn after the pair was read; the answer says which, where chance\n"
    "played a part, and --seed gives the same answer again.\n"
    "A counterexample can be kept and run again, on any machine: --counterexample F, then --replay F (exit status 0\n"
    "where both values come out as they are written there).\n"
    "A certificate says what supports the answer: --certificate F, then steptp-replay F, a small program without "
    "the\n"
    "judge's code, confirms or refuses it.\n"
    "Example: steptp verify softmax.leir online.leir        steptp verify --pairs pairs.jsonl --json\n"
    "A line of such a file, whose texts may be in either profile:\n"
    "  {\"id\":\"double\",\"signature\":[{\"name\":\"A\",\"role\":\"input\",\"dtype\":\"float32\",\"shape\":[8]},"
    "{\"name\":\"D\",\"role\":\"output\",\"dtype\":\"float32\",\"shape\":[8]}],"
    "\"before\":\"tx8 D(tx)=A(tx)+A(tx);\",\"after\":\"tx8 D(tx)=A(tx)*2;\"}";

void add_options(CLI::App& verb, Options& options) {
  verb.add_option("BEFORE", options.before, "the program that is taken to be right");
  verb.add_option("AFTER", options.after, "the program to judge");
  verb.add_option(
      "--pairs", options.pairs,
      "judge many pairs: a .jsonl file, or - for standard input, each line with id, signature, before and after");
  verb.add_option("--counterexample", options.counterexample,
                  "write the pair to this file, with its counterexample, or with inputs at which AFTER is not safe");
  verb.add_option("--certificate", options.certificate,
                  "write what supports the answer to this file: the proof, the points or the counterexample");
  verb.add_option("--replay", options.replay, "run a kept counterexample again, or a .jsonl file of them");
  verb.add_option("--range", options.range,
                  "the magnitudes of inputs at which AFTER must be as safe as BEFORE: middle (the middle half of the "
                  "exponents of each type), full, or lo,hi")
      ->capture_default_str();
  verb.add_flag("--require-safe", options.require_safe,
                "exit with 1 if AFTER is equal but not safe, and with 3 if that is not decided");
  verb.add_option("--seed", options.seed, "the seed of the random points; without it each pair gets a fresh one");
  verb.add_option("--accept", options.accept, "also exit with 0 for this grade: numeric")->check(one_of({"numeric"}));
  verb.add_option("--budget", options.judge.budget, "how many operations the evaluation of one pair may take")
      ->capture_default_str();
  verb.add_option("--timeout", options.timeout,
                  "how many seconds one pair may take; what is not decided by then is undecided")
      ->check(positive());
  verb.add_flag("--json", options.json, "print one JSON object per pair on standard output");
  verb.add_flag("--timing", options.timing, "also print how many milliseconds each pair took");
  verb.add_option("--jobs,-j", options.jobs, "how many processes judge a file of many pairs; 0 means all cores")
      ->capture_default_str();
}

Status run(Options& options) {
  if (const char* misuse = misuse_of(options)) {
    print_error(make_error("usage", misuse, "steptp verify --help shows how it is called"));
    return Status::bad_input;
  }
  const auto range = parse_safe_range(options.range);
  if (!range) {
    print_error(make_error("usage", "--range is middle, full or two magnitudes lo,hi",
                           "steptp verify --help shows how it is called"));
    return Status::bad_input;
  }
  options.judge.safe_range = *range;
  options.judge.keep_record = !options.certificate.empty();
  if (!options.replay.empty()) {
    return for_each_line(options.replay, options.jobs, "replay", [&](const std::string& name, const std::string& text) {
      return repeat(read_replay_record(name, text), options.json);
    });
  }
  if (!options.pairs.empty()) return judge_pairs(options);
  return judge_files(options);
}

}  // namespace

VerbMain add_verify(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("verify", "judge whether two programs are equal");
  verb->footer(kFooter);
  add_options(*verb, *options);
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
