#include <CLI/CLI.hpp>

#include "cli/checks.h"
#include "cli/verb.h"
#include "steptp/base/text.h"
#include "steptp/execution/object_cache.h"

namespace steptp::cli {

void add_worker_options(CLI::App& verb, WorkerOptions& options) {
  options.cache = ObjectCache::default_folder();
  verb.add_option("--timeout", options.seconds, "how many seconds compiling and running one program may take")
      ->check(positive())
      ->capture_default_str();
  verb.add_option("--memory", options.memory_gigabytes,
                  "how many GiB a process that compiles and runs may use; 0 means 3/4 of all")
      ->check(not_negative())
      ->capture_default_str();
  // The default depends on the machine, so --help names the rule.
  verb.add_option("--cache", options.cache,
                  "the folder for compiled code, or an empty name for none; without it $STEPTP_CACHE, "
                  "$XDG_CACHE_HOME/steptp or ~/.cache/steptp");
}

CandidateOptions candidate_options(const WorkerOptions& options, DeviceKind device) {
  CandidateOptions out;
  out.device = device;
  out.seconds = options.seconds;
  out.memory_bytes = static_cast<std::uint64_t>(options.memory_gigabytes * (1 << 30));
  out.cache = options.cache;
  return out;
}

void print_cache_problem(const CandidatePool& pool) {
  const std::string problem = pool.cache_problem();
  if (problem.empty()) return;
  std::fputs(concat("steptp: note: compiled code is not kept: ", problem, "\n").c_str(), stderr);
}

Status status_of(TrapFamily family) {
  switch (family) {
    case TrapFamily::program: return Status::no;
    case TrapFamily::input: return Status::bad_input;
    case TrapFamily::limit: return Status::undecided;
    case TrapFamily::cancelled: return Status::failed;
  }
  return Status::no;
}

Status status_of(const CompiledFailure& failure) {
  switch (failure.kind) {
    case CompiledFailure::Kind::errors:
    case CompiledFailure::Kind::refused: return Status::no;
    case CompiledFailure::Kind::undecided:
    case CompiledFailure::Kind::too_long: return Status::undecided;
    case CompiledFailure::Kind::trap: return status_of(family_of(failure.trap));
    case CompiledFailure::Kind::machine: return Status::failed;
  }
  return Status::no;
}

}  // namespace steptp::cli
