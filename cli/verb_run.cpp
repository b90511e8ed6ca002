#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>

#include "cli/verb.h"
#include "cli/word_option.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/progress.h"
#include "steptp/base/text.h"
#include "steptp/documents/run_compiled.h"
#include "steptp/documents/run_document.h"
#include "steptp/oracle/npz.h"

namespace steptp::cli {

namespace {

struct RunVerbOptions {
  RecordOptions records;
  Engine engine = Engine::oracle;
  std::uint64_t seed = 0;
  std::uint64_t budget = RunOptions().budget;
  std::vector<std::string> elements;
  std::string inputs;
  std::string output;
  std::string save_inputs;
  WorkerOptions workers;
};

/// Six significant digits: a summary for people, not the values themselves.
std::string short_number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

std::string result_text(const RunResult& result, const std::vector<Element>& elements) {
  std::string out;
  for (const auto& [name, statistics] : result.statistics) {
    const Tensor& tensor = result.outputs.at(name);
    char checksum[24];
    std::snprintf(checksum, sizeof checksum, "%016llx", static_cast<unsigned long long>(statistics.checksum));
    append(out, name, ' ', code(tensor.dtype), '[',
           join(tensor.shape, ",", [](std::int64_t d) { return std::to_string(d); }), "] checksum ", checksum, ", min ",
           short_number(statistics.least), ", max ", short_number(statistics.greatest), ", mean ",
           short_number(statistics.mean));
    if (statistics.nans + statistics.infinities > 0)
      append(out, ", ", statistics.nans, " nan, ", statistics.infinities, " inf");
    out += '\n';
  }
  const Json answer = to_json(result, elements);
  for (std::size_t i = 0; i < result.elements.size(); ++i) {
    const Json& entry = (*answer.find("elements")->as_array())[i];
    append(out, elements[i].tensor, '[',
           join(elements[i].subscripts, ",", [](std::int64_t s) { return std::to_string(s); }),
           "] = ", entry.find("value")->dump(), '\n');
  }
  return out;
}

class RunVerb {
 public:
  explicit RunVerb(const RunVerbOptions& options) : options_(options) {
    if (options.engine == Engine::oracle) return;
    const DeviceKind device = device_of(options.engine);
    const unsigned jobs = options.records.jobs == 0 ? default_jobs() : options.records.jobs;
    pool_ = std::make_unique<CandidatePool>(candidate_options(options.workers, device), usual_places(device, jobs));
  }
  [[nodiscard]] const CandidatePool* pool() const { return pool_.get(); }

  /// Reads what the options name; false after a message.
  bool prepare() {
    for (const std::string& text : options_.elements) {
      auto element = parse_element(text);
      if (!element) {
        print_error(
            make_error("usage", concat("'", text, "' is not an element"), "write the output and its index: D[0,3]"));
        return false;
      }
      request_.elements.push_back(*std::move(element));
    }
    request_.seed = options_.seed;
    request_.budget = options_.budget;
    if (options_.inputs.empty()) return true;
    auto arrays = read_npz(options_.inputs);
    if (!arrays) {
      print_error(arrays.error());
      return false;
    }
    request_.inputs = *std::move(arrays);
    return true;
  }

  Answer run(const Document& document) {
    if (!document.ok) return unreadable(document, options_.records.json);
    if ((!options_.output.empty() || !options_.save_inputs.empty()) && records_++ > 0) {
      Answer answer;
      answer.status = Status::bad_input;
      answer.err =
          render(make_error("usage", "--output and --save-inputs take one program, but the file holds several"),
                 *document.source);
      return answer;
    }
    if (document.has_signature) {
      const auto unknown = unknown_element(document.program, request_.elements);
      if (unknown) return refused(document, Status::bad_input, make_error("usage", *unknown));
    }
    RunRequest request = request_;
    Progress progress("run", 1000);
    request.progress = [&progress](double done, double estimated) {
      progress.update(static_cast<std::uint64_t>(estimated > 0 ? 1000 * done / estimated : 0));
      return true;
    };
    if (!options_.save_inputs.empty() && document.has_signature) {
      if (auto failure = save_inputs(document.program)) return refused(document, Status::failed, *failure);
    }
    const auto result = execute(document, request);
    if (!result) return result.error();
    if (!options_.output.empty()) {
      if (const auto written = write_npz(options_.output, result->outputs); !written) {
        return refused(document, Status::failed, written.error());
      }
    }
    Answer answer;
    answer.out = options_.records.json ? to_json(*result, request.elements).dump() + "\n"
                                       : result_text(*result, request.elements);
    return answer;
  }

 private:
  /// With the engine that was asked for.
  Result<RunResult, Answer> execute(const Document& document, const RunRequest& request) const {
    if (pool_) {
      auto result = run_compiled(document, request, *pool_);
      if (!result) return refused(document, status_of(result.error()), result.error().diagnostics);
      return std::move(result).value();
    }
    auto result = run_document(document, request);
    if (!result) return refused(document, status_of(family_of(result.error().trap.kind)), result.error().diagnostic);
    return std::move(result).value();
  }

  /// What the program will be given, for a run elsewhere.
  std::optional<Diagnostic> save_inputs(const Program& program) const {
    RunRequest request = request_;
    const auto inputs = inputs_of(program, request);
    if (!inputs) return make_error(name_of(inputs.error().kind), inputs.error().message);
    const auto written = write_npz(options_.save_inputs, *inputs);
    if (!written) return written.error();
    return std::nullopt;
  }

  Answer refused(const Document& document, Status status, const Diagnostic& diagnostic) const {
    return refused(document, status, Diagnostics{diagnostic});
  }
  Answer refused(const Document& document, Status status, const Diagnostics& diagnostics) const {
    Answer answer;
    answer.status = status;
    answer.err = render(diagnostics, *document.source);
    if (options_.records.json) {
      Json out;
      out.set("error", diagnostics.empty() ? "" : diagnostics.front().id).set("diagnostics", to_json(diagnostics));
      answer.out = out.dump() + "\n";
    }
    return answer;
  }

  const RunVerbOptions& options_;
  std::unique_ptr<CandidatePool> pool_;  ///< of the engines that compile
  RunRequest request_;
  std::atomic<int> records_ = 0;
};

}  // namespace

VerbMain add_run(CLI::App& app) {
  auto options = std::make_shared<RunVerbOptions>();
  CLI::App* verb = app.add_subcommand("run", "run a program exactly as it is written");
  verb->footer(
      "The oracle is the slow, obvious machine that defines the language: every dtype as it is, every operation\n"
      "correctly rounded, undefined elements tracked. Work is estimated first and refused beyond the budget (exit 3).\n"
      "The engines llvm and cuda run programs that check finds ok, in a process of their own: a crash, or more time "
      "or\n"
      "memory than --timeout and --memory allow, is an answer (exit 4; 3 for time). The values of llvm are the "
      "oracle's,\n"
      "but for the last bits of exp, log and other functions; cuda needs an NVIDIA GPU, its driver, and NVRTC.\n"
      "Example: steptp run softmax.leir --seed 7        steptp run softmax.leir --elements 'C[0,3]'");
  add_record_options(*verb, options->records);
  add_word_option(*verb, "--engine", options->engine,
                  "oracle, llvm: compiled for this machine, much faster; cuda: for its GPU");
  verb->add_option("--seed", options->seed, "the seed of the inputs that --inputs does not give")
      ->capture_default_str();
  verb->add_option("--budget", options->budget, "how many scalar operations the oracle may take")
      ->capture_default_str();
  verb->add_option("--elements", options->elements, "compute only these elements of the outputs, such as 'D[0,3]'");
  verb->add_option("--inputs", options->inputs, "an .npz file with the inputs, one array for each name");
  verb->add_option("--output", options->output, "an .npz file to write the outputs to");
  verb->add_option("--save-inputs", options->save_inputs, "an .npz file to write the inputs to");
  add_worker_options(*verb, options->workers);
  return [options] {
    RunVerb runner(*options);
    if (!runner.prepare()) return Status::bad_input;
    const Status status = for_each_record(options->records.file, options->records.jobs, "run",
                                          [&runner](const Document& document) { return runner.run(document); });
    if (runner.pool()) print_cache_problem(*runner.pool());
    return status;
  };
}

}  // namespace steptp::cli
