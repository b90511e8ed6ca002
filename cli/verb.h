#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/records.h"
#include "cli/status.h"
#include "steptp/documents/run_compiled.h"
#include "steptp/measure/candidate_pool.h"

namespace CLI {
class App;
}

namespace steptp::cli {

/// How this process was called. A verb may start the same call again as a worker, which then has the same options.
struct Invocation {
  std::vector<std::string> words;  ///< behind the program's name
  bool is_worker = false;

  [[nodiscard]] std::vector<std::string> command_of_worker() const {
    std::vector<std::string> out = {"/proc/self/exe", std::string(kWorkerWord)};
    out.insert(out.end(), words.begin(), words.end());
    return out;
  }
  static constexpr std::string_view kWorkerWord = "record-worker";
};
[[nodiscard]] Invocation& invocation();

/// How a process of this program is started that judges pairs (verify/judge_worker.h); no verb for people.
inline constexpr std::string_view kJudgeWorkerWord = "judge-worker";

/// What a verb's set-up leaves behind: run it when the user chose the verb.
using VerbMain = std::function<Status()>;

/// Each verb adds its own sub-command with its options and its help; one file per verb.
VerbMain add_fmt(CLI::App& app);
VerbMain add_check(CLI::App& app);
VerbMain add_run(CLI::App& app);
VerbMain add_tokens(CLI::App& app);
VerbMain add_grammar(CLI::App& app);
VerbMain add_verify(CLI::App& app);
VerbMain add_zoo(CLI::App& app);
VerbMain add_import(CLI::App& app);
VerbMain add_strategies(CLI::App& app);
VerbMain add_explain(CLI::App& app);
VerbMain add_moves(CLI::App& app);
VerbMain add_choices(CLI::App& app);
VerbMain add_apply(CLI::App& app);
VerbMain add_replay(CLI::App& app);
VerbMain add_optimize(CLI::App& app);
VerbMain add_search(CLI::App& app);
VerbMain add_kernelbench(CLI::App& app);
VerbMain add_lower(CLI::App& app);
VerbMain add_time(CLI::App& app);
VerbMain add_estimate(CLI::App& app);
VerbMain add_device(CLI::App& app);
VerbMain add_dataset(CLI::App& app);
VerbMain add_tlm(CLI::App& app);
VerbMain add_evaluate(CLI::App& app);

/// The options that all verbs over programs share: FILE, --json, --jobs.
struct RecordOptions {
  std::string file;
  bool json = false;
  unsigned jobs = 0;
};
void add_record_options(CLI::App& verb, RecordOptions& options);

/// What verbs share that run compiled programs in worker processes.
struct WorkerOptions {
  double seconds = 600;
  double memory_gigabytes = 0;
  std::string cache;
};
void add_worker_options(CLI::App& verb, WorkerOptions& options);
[[nodiscard]] CandidateOptions candidate_options(const WorkerOptions& options, DeviceKind device);
/// Says, once, that compiled code was not kept.
void print_cache_problem(const CandidatePool& pool);
/// The status that a failure means.
[[nodiscard]] Status status_of(const CompiledFailure& failure);
[[nodiscard]] Status status_of(TrapFamily family);

}  // namespace steptp::cli
