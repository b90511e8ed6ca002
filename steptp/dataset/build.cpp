// A build is resumable because its unit is a part: the records of a fixed number of planned programs in one file,
// which exists whole or not at all. Worker processes make records; a crash or a timeout of a worker becomes a record
// that says so. Which worker made what does not matter, since a record depends on the plan alone. When all parts
// exist, finish.cpp selects rows. Decision 0031.
#include "steptp/dataset/build.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/base/worker.h"
#include "steptp/dataset/build_log.h"
#include "steptp/dataset/finish.h"
#include "steptp/dataset/held_folder.h"
#include "steptp/dataset/store.h"
#include "steptp/dataset/work.h"

namespace steptp::dataset {

namespace {

namespace fs = std::filesystem;

/// Workers keep nothing that grows; a new one reads the tokenizer again.
constexpr std::uint64_t kMostAnswers = 4000;

constexpr std::string_view kGoOn = "what is done is kept: run the same command again to go on";

/// The folder of parts, in a folder that is held.
std::optional<Diagnostic> make_parts_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder + "/raw", error);
  if (!error) return std::nullopt;
  return make_error("write", concat("cannot make the folder '", folder, "/raw': ", error.message()));
}

/// The first setting in which two configurations differ, in words.
std::string difference(const Json& there, const Json& here) {
  const auto value = [](const Json* json) {
    std::string text = json ? json->dump() : "unknown";
    return text.size() > 60 ? text.substr(0, 57) + "..." : text;
  };
  for (const auto& [key, wanted] : *here.as_object()) {
    const Json* found = there.find(key);
    if (found && found->dump() == wanted.dump()) continue;
    if (key == "import_sums") return "a file of --import has changed since";
    return concat(key, " is ", value(found), " there, and ", value(&wanted), " here");
  }
  return {};
}

/// A folder with files of somebody else's: a build would mix its own with them.
std::optional<Diagnostic> refuse_foreign(const std::string& folder) {
  constexpr std::string_view kOwn[] = {"raw", "build.log", "timings.jsonl"};
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    const std::string name = file.path().filename().string();
    const bool is_own =
        std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn) || name.find(".tmp") != std::string::npos;
    if (is_own) continue;
    return make_error("dataset", concat("'", folder, "' is not empty and holds no dataset: there is '", name, "'"),
                      "name a folder that is new or empty");
  }
  return std::nullopt;
}

/// Nothing where the folder is new or holds this build.
std::optional<Diagnostic> compare_with_folder(const std::string& folder, const Configuration& configuration) {
  if (!fs::exists(build_path(folder))) return refuse_foreign(folder);
  const auto known = read_build(folder);
  if (!known) return known.error();
  const Json* settings = known->find("configuration");
  const std::string other = settings ? difference(*settings, dataset::to_json(configuration)) : "it has none";
  if (other.empty()) return std::nullopt;
  return make_error("configuration", concat("'", folder, "' holds a dataset of another configuration: ", other),
                    "take another folder, or --config with its build.json to go on with it");
}

/// The parts that are still to be made, and the threads that have them made.
class PartMaker {
 public:
  PartMaker(const Configuration& configuration, const Plan& plan, const BuildOptions& options, WorkerPool& workers,
            BuildLog& log)
      : configuration_(dataset::to_json(configuration)),
        plan_(plan),
        options_(options),
        workers_(workers),
        log_(log),
        timings_(options.folder + "/timings.jsonl", std::ios::app) {
    for (std::uint64_t part = 0; part < part_count(plan.programs.size()); ++part) {
      if (part % options.shards != options.shard || fs::exists(part_path(options.folder, part))) continue;
      Part& open = parts_[part];
      const std::uint64_t first = part * kPartPrograms;
      const std::uint64_t last = std::min<std::uint64_t>(first + kPartPrograms, plan.programs.size());
      open.lines.resize(last - first);
      open.left = last - first;
      for (std::uint64_t number = first; number < last; ++number) queue_.push_back(number);
    }
  }

  std::optional<Diagnostic> run() {
    log_.write(concat(queue_.size(), " of ", plan_.programs.size(), " programs to make, in ", parts_.size(), " parts"));
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < std::max(1U, options_.jobs); ++i) threads.emplace_back([this] { work(); });
    }
    return problem_;
  }

  [[nodiscard]] std::uint64_t parts_left() const { return parts_.size(); }
  [[nodiscard]] std::vector<std::string> quarantined() const { return quarantined_; }
  [[nodiscard]] std::string times_text() const {
    std::string out = concat("entries ", entries_, "; seconds of processor time:");
    for (const auto& [stage, milliseconds] : spent_) {
      append(out, " ", stage, " ", static_cast<std::int64_t>(milliseconds / 1000 + 0.5));
    }
    return out;
  }

 private:
  struct Part {
    std::vector<std::string> lines;
    std::uint64_t left = 0;
  };

  [[nodiscard]] bool goes_on() const { return !is_stopped_ && (!options_.go_on || options_.go_on()); }

  void work() {
    while (goes_on()) {
      std::uint64_t number = 0;
      {
        const std::lock_guard lock(mutex_);
        if (next_ == queue_.size()) return;
        number = queue_[next_++];
      }
      auto line = make(plan_.programs[number]);
      if (line) take(number, *std::move(line));
    }
  }

  /// The line of a program; nothing where the build stops.
  std::optional<std::string> make(const PlannedProgram& planned) {
    WorkerCall call;
    call.seconds = options_.program_seconds;
    call.go_on = [this] { return goes_on(); };
    const WorkerOutcome outcome = workers_.call(record_request(configuration_, planned, options_.imports), call);
    switch (outcome.kind) {
      case WorkerOutcome::Kind::answered: break;
      case WorkerOutcome::Kind::cancelled: return std::nullopt;
      case WorkerOutcome::Kind::not_started: {
        stop(make_error("worker", concat("no worker process can be started: ", outcome.reason), std::string(kGoOn)));
        return std::nullopt;
      }
      case WorkerOutcome::Kind::failed:
      case WorkerOutcome::Kind::crashed:
      case WorkerOutcome::Kind::exited:
      case WorkerOutcome::Kind::timed_out:
      case WorkerOutcome::Kind::garbled: return quarantine(planned, outcome);
    }
    RecordAnswer answer = record_answer(outcome.answer);
    const std::lock_guard lock(mutex_);
    for (const auto& [stage, value] : *answer.times.as_object()) {
      if (value.is_number()) spent_[stage] += value.number();
    }
    timings_ << answer.times.dump() << "\n";
    return std::move(answer.line);
  }

  /// A record that says why there is nothing, with no word that depends on the machine.
  std::string quarantine(const PlannedProgram& planned, const WorkerOutcome& outcome) {
    ProgramRecord record;
    record.program.id = hash_name(planned.form);
    record.program.number = planned.number;
    record.program.name = planned.name;
    record.program.type = planned.type;
    record.program.arguments = Json(Json::Object());
    record.program.origin = planned.origin;
    record.program.split = planned.split;
    record.program.structure = hash_name(planned.pattern);
    record.excluded = concat("quarantined: its worker ", name_of(outcome.kind));
    const std::string note = concat(planned.name, ": ", name_of(outcome.kind), ": ", outcome.reason);
    log_.write(concat("quarantined ", note));
    const std::lock_guard lock(mutex_);
    quarantined_.push_back(note);
    return to_json(record).dump();
  }

  void take(std::uint64_t number, std::string line) {
    const std::uint64_t part = number / kPartPrograms;
    std::string text;
    {
      const std::lock_guard lock(mutex_);
      entries_ += count_entries(line);
      ++done_;
      if (options_.progress) options_.progress(done_, queue_.size(), entries_);
      Part& open = parts_.at(part);
      open.lines[number % kPartPrograms] = std::move(line);
      if (--open.left > 0) return;
      for (const std::string& one : open.lines) append(text, one, "\n");
    }
    const auto written = write_file(part_path(options_.folder, part), part_bytes(text));
    if (!written) {
      Diagnostic diagnostic = written.error();
      diagnostic.hint = concat("free some space or mend the folder; ", kGoOn);
      stop(std::move(diagnostic));
      return;
    }
    const std::lock_guard lock(mutex_);
    parts_.erase(part);
    timings_ << std::flush;
  }

  /// Entries of a line, without reading it: each has one of these. Those that are not safe come last and do not count.
  static std::uint64_t count_entries(std::string_view line) {
    constexpr std::string_view kMark = "\"before_hash\":";
    line = line.substr(0, line.find("\"unsafe_entries\":"));
    std::uint64_t out = 0;
    for (std::size_t at = line.find(kMark); at != line.npos; at = line.find(kMark, at + 1)) ++out;
    return out;
  }

  void stop(Diagnostic diagnostic) {
    log_.write(concat("stopped: ", diagnostic.message));
    const std::lock_guard lock(mutex_);
    if (!problem_) problem_ = std::move(diagnostic);
    is_stopped_ = true;
  }

  Json configuration_;
  const Plan& plan_;
  const BuildOptions& options_;
  WorkerPool& workers_;
  BuildLog& log_;
  std::ofstream timings_;
  std::mutex mutex_;
  std::map<std::uint64_t, Part> parts_;  ///< not written yet
  std::vector<std::uint64_t> queue_;     ///< numbers of programs
  std::size_t next_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t entries_ = 0;
  std::map<std::string, double> spent_;
  std::vector<std::string> quarantined_;
  std::optional<Diagnostic> problem_;
  std::atomic<bool> is_stopped_ = false;
};

/// What the end of a build and of a merge need.
struct Finishing {
  const Configuration& configuration;
  const Plan& plan;
  const BuildOptions& options;
  WorkerPool& workers;
  BuildLog& log;
};

/// `answer` with the summary, or stopped.
Result<BuildAnswer, Diagnostic> finished(const Finishing& how, BuildAnswer answer) {
  WorkerCall call;
  call.seconds = how.options.program_seconds;
  call.go_on = how.options.go_on;
  auto done =
      finish_dataset(how.options.folder, how.configuration, how.plan, how.options.python, how.workers, how.log, call);
  if (!done) return done.error();
  if (*done) {
    answer.summary = std::move((*done)->summary);
    answer.absent_compilers = std::move((*done)->absent);
  } else {
    answer.end = BuildAnswer::End::stopped;
  }
  return answer;
}

/// The summary of a build that was complete before.
std::optional<Json> known_summary(const std::string& folder) {
  const auto known = read_build(folder);
  const Json* summary = known ? known->find("summary") : nullptr;
  if (!summary || check_sums(folder, *known)) return std::nullopt;
  return *summary;
}

}  // namespace

Result<BuildAnswer, Diagnostic> build_dataset(const Configuration& configuration, const BuildOptions& options) {
  const auto held = HeldFolder::open(options.folder);
  if (!held) return held.error();
  if (auto problem = compare_with_folder(options.folder, configuration)) return *problem;
  if (auto problem = make_parts_folder(options.folder)) return *problem;
  BuildLog log(options.folder);
  log.write(concat("build with ", options.jobs, " jobs, shard ", options.shard, "/", options.shards));
  const auto plan = make_plan(configuration, options.imports);
  if (!plan) return plan.error();
  WorkerPool workers(worker_commands(options), kMostAnswers);
  BuildAnswer answer;
  PartMaker maker(configuration, *plan, options, workers, log);
  // Also where this shard has no part of its own: a merge asks each folder which build it belongs to.
  if (maker.parts_left() > 0 || !fs::exists(build_path(options.folder))) {
    if (auto written = write_build(options.folder, configuration, *plan, Json()); !written) return written.error();
  }
  if (maker.parts_left() > 0) {
    if (auto problem = maker.run()) return *problem;
    log.write(maker.times_text());
  } else if (auto summary = known_summary(options.folder); summary && options.shards == 1) {
    answer.summary = *std::move(summary);
    return answer;
  }
  answer.quarantined = maker.quarantined();
  answer.parts_left = maker.parts_left();
  if (answer.parts_left > 0) {
    log.write(concat("stopped with ", answer.parts_left, " parts to make"));
    answer.end = BuildAnswer::End::stopped;
    return answer;
  }
  if (options.shards > 1) {
    answer.end = BuildAnswer::End::shard;
    return answer;
  }
  return finished({configuration, *plan, options, workers, log}, std::move(answer));
}

namespace {

/// The configuration that all of them have.
Result<Configuration, Diagnostic> common_configuration(const std::vector<std::string>& folders) {
  std::string first;
  Json settings;
  for (const std::string& folder : folders) {
    const auto build = read_build(folder);
    if (!build) return build.error();
    const Json* found = build->find("configuration");
    if (!found) return make_error("dataset", concat("'", folder, "/build.json' has no configuration"));
    if (first.empty()) settings = *found;
    if (first.empty()) first = found->dump();
    if (found->dump() != first) {
      return make_error("configuration",
                        concat("'", folder, "' is of another configuration than '", folders.front(), "'"),
                        "merge the shards of one build only");
    }
  }
  return configuration_from_json(settings);
}

/// Copies every part from the first folder that has it.
std::optional<Diagnostic> copy_parts(const std::vector<std::string>& folders, const Plan& plan,
                                     const std::string& into) {
  for (std::uint64_t part = 0; part < part_count(plan.programs.size()); ++part) {
    if (fs::exists(part_path(into, part))) continue;
    bool is_found = false;
    for (const std::string& folder : folders) {
      if (is_found || !fs::exists(part_path(folder, part))) continue;
      is_found = true;
      if (const auto records = read_part(folder, part); !records) return records.error();
      const auto bytes = read_file(part_path(folder, part));
      if (!bytes) return bytes.error();
      if (auto written = write_file(part_path(into, part), *bytes); !written) return written.error();
    }
    if (!is_found) {
      return make_error("dataset", concat("part ", part, " is in none of the folders"),
                        "a shard is missing or not finished: with --shard i/n it has the parts i, i+n, i+2n, ...");
    }
  }
  return std::nullopt;
}

}  // namespace

Result<BuildAnswer, Diagnostic> merge_datasets(const std::vector<std::string>& folders, const BuildOptions& options) {
  const auto configuration = common_configuration(folders);
  if (!configuration) return configuration.error();
  const auto held = HeldFolder::open(options.folder);
  if (!held) return held.error();
  if (auto problem = compare_with_folder(options.folder, *configuration)) return *problem;
  if (auto problem = make_parts_folder(options.folder)) return *problem;
  BuildLog log(options.folder);
  log.write(concat("merge of ", folders.size(), " folders"));
  const auto plan = make_plan(*configuration, options.imports);
  if (!plan) return plan.error();
  if (auto written = write_build(options.folder, *configuration, *plan, Json()); !written) return written.error();
  if (auto problem = copy_parts(folders, *plan, options.folder)) return *problem;
  WorkerPool workers(worker_commands(options), kMostAnswers);
  return finished({*configuration, *plan, options, workers, log}, {});
}

}  // namespace steptp::dataset
