#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/checks.h"
#include "cli/verb.h"
#include "cli/word_option.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/documents/time_document.h"
#include "steptp/documents/torch_times.h"

namespace steptp::cli {

namespace {

struct TimeOptions {
  TimeOptions() { request.arithmetic = Arithmetic::fast; }
  RecordOptions records;
  DeviceKind device = DeviceKind::cpu;
  std::vector<std::string> against;
  std::string root;
  bool elements = false;
  unsigned threads = 0;
  bool warm = false;
  TimeRequest request;
  WorkerOptions workers;
  std::string torch;
  std::vector<std::string> rivals;
  std::string python = "python3";
};

/// Every program of a file; false after a message.
bool read_programs(const std::string& path, std::vector<Document>& out) {
  const auto content = read_file(path);
  if (!content) {
    print_error(content.error());
    return false;
  }
  std::vector<std::string> texts;
  if (path.ends_with(".jsonl")) {
    std::istringstream lines(*content);
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(" \t\r") != std::string::npos) texts.push_back(line);
    }
  } else {
    texts.push_back(*content);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Document document = read_document(texts.size() > 1 ? concat(path, ":", i + 1) : path, texts[i]);
    if (!document.ok) {
      std::fputs(render(document.diagnostics, *document.source).c_str(), stderr);
      return false;
    }
    out.push_back(std::move(document));
  }
  return true;
}

/// The one program of a file; nothing after a message.
std::optional<Document> read_root(const std::string& path) {
  std::vector<Document> found;
  if (!read_programs(path, found)) return std::nullopt;
  if (found.size() != 1) {
    print_error(make_error("usage", concat("--root wants a file with one program, and ", path, " has ", found.size())));
    return std::nullopt;
  }
  return std::move(found.front());
}

Answer refused(const Document& document, const CompiledFailure& failure, bool json) {
  Answer answer;
  answer.status = status_of(failure);
  answer.err = render(failure.diagnostics, *document.source);
  if (json) {
    Json out;
    out.set("error", failure.diagnostics.empty() ? "" : failure.diagnostics.front().id);
    answer.out = out.set("diagnostics", to_json(failure.diagnostics)).dump() + "\n";
  }
  return answer;
}

/// Whoever is measured by turns with the programs. One that cannot be had is missing in the answer, which says so.
class Rivals {
 public:
  Rivals(const TimeOptions& options, Answer& answer) : answer_(answer) {
    if (!options.torch.empty()) {
      TorchRequest request;
      request.file = options.torch;
      request.python = options.python;
      request.device = options.device;
      request.timeout_seconds = options.workers.seconds;
      request.threads = options.threads;
      request.cold = options.request.cold;
      request.with_graphs = options.request.as_graph;
      take(start_torch(request));
    }
    for (const std::string& command : options.rivals) {
      take(RivalSession::start({"sh", "-c", command}, options.workers.seconds));
    }
  }
  std::vector<std::string> names;
  std::vector<Rival*> rivals;

 private:
  void take(Result<std::unique_ptr<RivalSession>, Diagnostic> session) {
    if (!session) {
      answer_.err += render(session.error(), Source("steptp", ""));
      answer_.status = Status::failed;
      return;
    }
    sessions_.push_back(std::move(session).value());
    for (const std::string& name : sessions_.back()->names()) names.push_back(name);
    for (Rival* rival : sessions_.back()->rivals()) rivals.push_back(rival);
  }
  Answer& answer_;
  std::vector<std::unique_ptr<RivalSession>> sessions_;
};

/// Evaluates what candidates of this root will be compared with, and measures nothing.
Answer keep_elements(const Document& root, const CandidatePool& pool, const TimeOptions& options) {
  if (!root.ok) return unreadable(root, options.records.json);
  const auto elements = root_elements(root, options.request.seed, options.request.check_operations, pool);
  if (!elements) return refused(root, elements.error(), options.records.json);
  Answer answer;
  answer.out = options.records.json ? to_json(*elements).dump() + "\n" : to_text(*elements);
  if (!elements->cache_problem().empty()) answer.err = concat("steptp: note: ", elements->cache_problem(), "\n");
  return answer;
}

Answer time_one(const Document& document, const std::vector<Document>& against, CandidatePool& pool,
                const TimeOptions& options) {
  if (!document.ok) return unreadable(document, options.records.json);
  std::vector<const Document*> all = {&document};
  for (const Document& other : against) all.push_back(&other);
  Answer answer;
  const Rivals rivals(options, answer);
  TimeRequest request = options.request;
  request.rivals = rivals.rivals;
  auto report = time_documents(all, pool, request, rivals.names);
  if (!report) return refused(document, report.error(), options.records.json);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TimedDocument& one = report->programs[i];
    if (!one.failure) continue;
    answer.status = worse(answer.status, status_of(*one.failure));
    answer.err += render(one.failure->diagnostics, *all[i]->source);
  }
  answer.out = options.records.json ? to_json(*report).dump() + "\n" : to_table(*report);
  return answer;
}

constexpr const char* kFooter =
    "Programs are compiled and run in a process of their own, by turns, until their medians are settled or the "
    "budget\n"
    "ends; each repetition begins with cold caches and poisoned outputs, and ends with a comparison of sampled "
    "elements\n"
    "with certified values: there is no timing of a wrong result. Programs with the signature of the first one get\n"
    "its inputs; what has other values than it gets no ratio. The roofline is the least time in which the\n"
    "machine could read inputs, write outputs and do the arithmetic; a share above 100 % is marked (!), and what no\n"
    "machine can do is measured again and called implausible. With --root many candidates cost little more than\n"
    "compiling and running them: they are compared with the root's certified values, which are evaluated once for a\n"
    "root and a seed.\n"
    "Exit status: 0 measured, 1 errors, refused or wrong, 2 unreadable, 3 undecided or too slow, 4 no device, a "
    "crash.\n"
    "Example: steptp time fast.leir --against vanilla.leir";

void add_options(CLI::App& verb, TimeOptions& options) {
  add_record_options(verb, options.records);
  add_word_option(verb, "--device", options.device, "cpu, or cuda: an NVIDIA GPU with its driver, and NVRTC");
  verb.add_option("--against", options.against, "files with other programs, measured by turns with FILE");
  verb.add_option("--root", options.root,
                  "a file with the program that all others are known to be equal to (by verify): its certified values "
                  "are evaluated once, kept in the cache, and compared with in place of their own");
  verb.add_flag("--elements", options.elements,
                "measure nothing: only evaluate and keep what candidates of FILE as their root are compared with");
  verb.add_option("--budget", options.request.budget_seconds, "how many seconds each program is measured")
      ->check(positive())
      ->capture_default_str();
  verb.add_option("--spread", options.request.wanted_spread,
                  "stop once the median is known to this relative uncertainty")
      ->check(positive())
      ->capture_default_str();
  verb.add_flag("--warm", options.warm, "do not empty caches between repetitions");
  verb.add_flag("--graph", options.request.as_graph,
                "start all launches of a program by one call, as a CUDA graph (--device cuda); PyTorch is measured "
                "both ways");
  add_word_option(verb, "--arithmetic", options.request.arithmetic,
                  "fast: products and sums are fused, functions of floats within a last place, inside the bounds that "
                  "results are checked with; exact: each operation rounded by itself, as `run` does on a CPU");
  verb.add_option("--threads", options.threads, "how many CPU threads a program uses; 0 means all cores")
      ->capture_default_str();
  verb.add_option("--seed", options.request.seed, "the seed of the inputs")->capture_default_str();
  verb.add_option("--check-operations", options.request.check_operations,
                  "how many operations the certified values of one program may take")
      ->capture_default_str();
  verb.add_option(
      "--torch", options.torch,
      "a PyTorch file with Model and get_inputs: eager, torch.compile and, where the module is one call of it, "
      "the vendor's library, measured by turns with the programs");
  verb.add_option("--rival", options.rivals,
                  "a shell command that measures something else by turns; docs/lowering.md says how the two talk")
      ->allow_extra_args(false);
  verb.add_option("--python", options.python, "the Python that has PyTorch, for --torch")->capture_default_str();
  add_worker_options(verb, options.workers);
}

Status run(TimeOptions& options) {
  options.request.cold = !options.warm;
  if (options.request.as_graph && options.device != DeviceKind::cuda) {
    print_error(make_error("usage", "--graph needs --device cuda: a CPU has no launches to put together"));
    return Status::bad_input;
  }
  if (options.elements && (!options.root.empty() || !options.against.empty())) {
    print_error(make_error("usage", "--elements measures nothing, so there is no --root and no --against beside it"));
    return Status::bad_input;
  }
  std::vector<Document> against;
  for (const std::string& path : options.against) {
    if (!read_programs(path, against)) return Status::bad_input;
  }
  CandidateOptions how = candidate_options(options.workers, options.device);
  how.threads = options.threads;
  CandidatePool pool(how, 1);
  if (options.elements) {
    return for_each_record(options.records.file, options.records.jobs, "time",
                           [&](const Document& document) { return keep_elements(document, pool, options); });
  }
  std::optional<RootElements> root;
  if (!options.root.empty()) {
    const auto document = read_root(options.root);
    if (!document) return Status::bad_input;
    auto elements = root_elements(*document, options.request.seed, options.request.check_operations, pool);
    if (!elements) {
      std::fputs(render(elements.error().diagnostics, *document->source).c_str(), stderr);
      return status_of(elements.error());
    }
    root.emplace(std::move(elements).value());
    options.request.root = &*root;
  }
  // One program after another on a CPU, where they would disturb each other. A GPU has one worker, for which records
  // wait; what is done for them before and after may be done at the same time.
  const unsigned jobs = options.device == DeviceKind::cpu ? 1 : options.records.jobs;
  const Status status = for_each_record(options.records.file, jobs, "time", [&](const Document& document) {
    return time_one(document, against, pool, options);
  });
  print_cache_problem(pool);
  return status;
}

}  // namespace

VerbMain add_time(CLI::App& app) {
  auto options = std::make_shared<TimeOptions>();
  CLI::App* verb = app.add_subcommand("time", "measure how fast a program runs, alone or beside others");
  verb->footer(kFooter);
  add_options(*verb, *options);
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
