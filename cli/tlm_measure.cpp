#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "cli/checks.h"
#include "cli/tlm_verbs.h"
#include "cli/word_option.h"
#include "steptp/base/text.h"
#include "steptp/documents/time_document.h"

namespace steptp::cli {

namespace {

struct MeasureOptions {
  MeasureOptions() { request.arithmetic = Arithmetic::fast; }
  DeviceKind device = DeviceKind::cpu;
  unsigned threads = 0;
  TimeRequest request;
  WorkerOptions workers;
};

Json failed(std::string_view id, const std::string& reason) {
  return Json().set("status", "failed").set("error", id).set("reason", reason);
}

Json failed(const CompiledFailure& failure) {
  if (failure.diagnostics.empty()) return failed("failed", "there is no reason");
  return failed(failure.diagnostics.front().id, failure.diagnostics.front().message);
}

/// Answers requests one after the other; the worker with its device and the elements of roots stay.
class Measurer {
 public:
  explicit Measurer(const MeasureOptions& options) : options_(options), pool_(how(options), 1) {}

  Json answer(const std::string& line) {
    const auto request = parse_json(line);
    const Json* root = request && request->as_object() ? request->find("root") : nullptr;
    if (!root || !root->as_string()) return failed("usage", "a request is an object with the text \"root\"");
    if (const Json* program = request->find("program"); program && program->as_string()) {
      const Json* compile = request->find("compile");
      const bool only = compile && compile->as_bool() && *compile->as_bool();
      return only ? compile_only(*program->as_string()) : measure(*root->as_string(), *program->as_string());
    }
    const auto elements = elements_of(*root->as_string());
    return elements ? to_json(**elements) : failed(elements.error());
  }

 private:
  static CandidateOptions how(const MeasureOptions& options) {
    CandidateOptions out = candidate_options(options.workers, options.device);
    out.threads = options.threads;
    return out;
  }

  Result<const RootElements*, CompiledFailure> elements_of(const std::string& text) {
    if (const auto known = roots_.find(text); known != roots_.end()) return &known->second;
    const Document document = read_document("the root", text);
    if (!document.ok) return CompiledFailure{CompiledFailure::Kind::errors, {}, document.diagnostics};
    auto made = root_elements(document, options_.request.seed, options_.request.check_operations, pool_);
    if (!made) return made.error();
    return &roots_.emplace(text, std::move(made).value()).first->second;
  }

  Json compile_only(const std::string& text) {
    const Document document = read_document("the program", text);
    if (!document.ok) return failed({CompiledFailure::Kind::errors, {}, document.diagnostics});
    pool_.compile(document.program, options_.request.arithmetic);
    return Json().set("status", "ok");
  }

  Json measure(const std::string& root, const std::string& text) {
    const auto elements = elements_of(root);
    if (!elements) return failed(elements.error());
    const Document document = read_document("the program", text);
    if (!document.ok) return failed({CompiledFailure::Kind::errors, {}, document.diagnostics});
    TimeRequest request = options_.request;
    request.root = *elements;
    const auto report = time_documents({&document}, pool_, request);
    if (!report) return failed(report.error());
    return to_json(*report).find("programs")->as_array()->front();
  }

  const MeasureOptions& options_;
  CandidatePool pool_;
  std::map<std::string, RootElements> roots_;
};

Status run(MeasureOptions& options) {
  Measurer measurer(options);
  for (std::string line; std::getline(std::cin, line);) {
    if (!write_out(measurer.answer(line).dump() + "\n")) return Status::failed;
  }
  return Status::yes;
}

}  // namespace

VerbMain add_tlm_measure(CLI::App& tlm) {
  auto options = std::make_shared<MeasureOptions>();
  CLI::App* verb = tlm.add_subcommand("measure", "a service for rounds: measures programs that it reads, line by line");
  verb->footer(
      "Reads an object in each line and answers with one, as `steptp time --json` says it of a program:\n"
      "{\"root\",\"program\"}, both documents, measures the program, which is compared with the root's certified\n"
      "values; with \"compile\": true it is only compiled and kept; {\"root\"} alone evaluates these values.\n"
      "Several of them may work side by side on a GPU: they compile at the same time, and measure by turns.\n"
      "Exit status: 0 the input ended; what cannot be measured is an answer with \"error\" and \"reason\".\n"
      "Example: steptp tlm measure --device cuda");
  add_word_option(*verb, "--device", options->device, "cpu, or cuda: an NVIDIA GPU with its driver, and NVRTC");
  verb->add_option("--budget", options->request.budget_seconds, "how many seconds each program is measured")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--slow", options->request.slow_seconds,
                   "what takes more seconds than this runs once or twice, and that is its time; 0: nothing does")
      ->check(not_negative())
      ->capture_default_str();
  verb->add_option("--spread", options->request.wanted_spread,
                   "stop once the median is known to this relative uncertainty")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "how many CPU threads a program uses; 0 means all cores")
      ->capture_default_str();
  verb->add_option("--seed", options->request.seed, "the seed of the inputs")->capture_default_str();
  add_worker_options(*verb, options->workers);
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
