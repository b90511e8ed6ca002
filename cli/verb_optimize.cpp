#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/checks.h"
#include "cli/device_problem.h"
#include "cli/import_report.h"
#include "cli/interrupts.h"
#include "cli/move_options.h"
#include "cli/optimize_by_model.h"
#include "cli/optimize_kept.h"
#include "cli/python_tool.h"
#include "cli/refused_root.h"
#include "cli/strategy_options.h"
#include "cli/verb.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/progress.h"
#include "steptp/base/text.h"
#include "steptp/import/import_model.h"
#include "steptp/optimize/optimize.h"
#include "steptp/optimize/output_folder.h"
#include "steptp/oracle/npz.h"
#include "steptp/search/row.h"
#include "steptp/search/session.h"
#include "steptp/text/printer.h"

namespace steptp::cli {

namespace {

/// Of the seconds that are given, planning may take this part; the rest is for the judge.
constexpr double kPlanningShare = 0.6;

struct OptimizeOptions {
  RecordOptions records;
  std::string device = "cpu";
  std::string folder;
  std::string plan;
  std::string emit;
  std::string proposer = "moves";
  std::string weights;
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  double seconds = 0;
  bool explain = false;
  bool require_safe = false;
  bool timing = false;
  WorkerOptions workers;
  ImportRequest import;
  std::shared_ptr<const tlm::Weights> model;  ///< of the proposer tlm, once it is read
};

/// Whether the proposer that is asked for is there, with its weights; false after a message.
bool take_proposer(OptimizeOptions& options) {
  const bool is_model = options.proposer == "tlm";
  const auto refuse = [](const Diagnostic& why) { return print_error(why), false; };
  if (!is_model && !options.weights.empty()) {
    return refuse(make_error("usage", "--weights are those of --proposer tlm, which is not asked for"));
  }
  if (!is_model) return true;
  if (options.samples > 0 || !options.plan.empty()) {
    return refuse(make_error("usage", options.plan.empty()
                                          ? "--proposer tlm writes plans without measuring, and --samples measures; "
                                            "`steptp search --proposer tlm` does both"
                                          : "--proposer tlm writes a plan, and --plan gives one"));
  }
  auto weights = tlm::usable_weights(options.weights, options.device);
  if (!weights) return refuse(weights.error());
  options.model = *std::move(weights);
  return true;
}

/// A bar for the one program that is worked on; of several programs their number is shown instead.
class PlanProgress {
 public:
  void show(std::string_view what, std::size_t done, std::size_t all) {
    if (!bar_ || what != what_) {
      bar_.reset();
      what_ = what;
      bar_.emplace(std::string(what), all);
    }
    bar_->update(done);
  }

 private:
  std::string what_;
  std::optional<Progress> bar_;
};

OptimizeRequest request_of(const OptimizeOptions& options, const DeviceRates& rates) {
  OptimizeRequest out;
  out.target = plan_target(rates);
  out.rates = rates;
  out.jobs = options.records.jobs == 0 ? default_jobs() : options.records.jobs;
  out.require_safe = options.require_safe;
  out.with_timing = options.timing;
  out.judging.command = {"/proc/self/exe", std::string(kJudgeWorkerWord)};
  out.judging.seed = options.seed;
  out.go_on = go_on_until_interrupted(options.seconds * kPlanningShare);
  out.judging.go_on = go_on_until_interrupted(options.seconds);
  return out;
}

Status status_of(const Optimized& optimized) { return optimized.fits ? Status::yes : Status::no; }

/// DIR for a single program, DIR/NAME-LINE for one of many.
std::string folder_of(const OptimizeOptions& options, const Document& document) {
  const std::string& name = document.source->name();
  const std::size_t colon = name.rfind(':');
  if (!options.records.file.ends_with(".jsonl") || colon == std::string::npos) return options.folder;
  return concat(options.folder, "/", folder_name(document.program.name, name.substr(colon + 1)));
}

/// Of many programs those are not made again whose folders are there.
bool goes_on_later(const OptimizeOptions& options) {
  return options.records.file.ends_with(".jsonl") && !options.folder.empty() && options.plan.empty() &&
         options.samples == 0;
}

OptimizeTexts texts_of(const Document& document, const Optimized& optimized, const OptimizeRequest& request,
                       const OptimizeOptions& options) {
  OptimizeTexts out;
  out.json = to_json(optimized, request).dump() + "\n";
  out.words = explain(optimized, request);
  out.brief = concat(summary(optimized, request), "all of it is in ", folder_of(options, document), "\n");
  if (optimized.fallback || optimized.interrupted) {
    out.errors = concat(document.source->name(), ": ", optimized.fallback ? "the program stays as it came: " : "",
                        optimized.reason, "\n");
  }
  return out;
}

/// What is printed of it.
Answer shown(const KeptAnswer& kept, const OptimizeOptions& options) {
  Answer answer;
  answer.status = kept.status;
  answer.err = kept.texts.errors;
  answer.out = options.records.json ? kept.texts.json : options.explain ? kept.texts.words : kept.texts.brief;
  return answer;
}

Answer answer_of(const Document& document, const Optimized& optimized, const OptimizeRequest& request,
                 const OptimizeOptions& options) {
  const KeptAnswer made = {status_of(optimized), texts_of(document, optimized, request, options)};
  Answer answer = shown(made, options);
  if (options.folder.empty()) {
    if (!options.records.json && !options.explain) answer.out = program_text(document, optimized.program);
    return answer;
  }
  const std::string folder = folder_of(options, document);
  const auto files = files_of(document, optimized, request);
  auto written = write_answer(folder, files);
  if (written && goes_on_later(options) && !optimized.interrupted)
    written = keep_answer(folder, optimize_key(document, request), made, files);
  if (written) return answer;
  answer.status = Status::failed;
  answer.err += render(written.error(), Source("steptp", ""));
  if (!options.records.json && !options.explain) answer.out.clear();
  return answer;
}

/// The plan that a search by rules finds: its winner is judged anew, with certificates.
Result<Optimized, Diagnostic> by_search(const Document& document, const OptimizeRequest& request,
                                        const OptimizeOptions& options) {
  search::SearchSettings settings;
  if (const auto taken = search::take_device(options.device, "", settings); !taken)
    return make_error("usage", concat("--device: ", taken.error()));
  settings.budget.samples = static_cast<std::int64_t>(options.samples);
  settings.seed = options.seed;
  search::SearchMachinery machinery;
  machinery.judge_command = request.judging.command;
  machinery.jobs = request.jobs;
  machinery.go_on = request.go_on;
  machinery.candidates = candidate_options(options.workers, DeviceKind::cpu);
  if (request.progress) {
    machinery.progress = [&](const search::Progress& progress) {
      request.progress("samples", static_cast<std::size_t>(progress.samples), options.samples);
    };
  }
  auto found = search::search_program(document, settings, machinery, "", search::Journal::Mode::write);
  if (!found) return found.error();
  if (found->stop == search::Stop::no_device) return make_error("search", found->stop_reason);
  const auto take = [&](Optimized optimized) {
    optimized.samples = static_cast<std::size_t>(found->samples);
    if (!optimized.fallback) optimized.measured_seconds = found->best_seconds();
    optimized.interrupted = found->stop == search::Stop::interrupted;
    if (optimized.interrupted && !optimized.fallback) optimized.reason = "it was ended before all samples were taken";
    return optimized;
  };
  if (found->winner == 0U) return take(kept_as_it_came(document, request, "none of the samples was faster"));
  auto made = optimize_by(document, search::plan_of_node(document, settings, found->best()), request);
  if (!made) return make_error("search", made.error());
  return take(std::move(made).value());
}

Answer optimize_document(const Document& document, OptimizeRequest request, const OptimizeOptions& options,
                         const std::optional<Plan>& plan) {
  const bool json = options.records.json;
  if (auto refused = refused_root(document, json, "optimize")) return *std::move(refused);
  if (goes_on_later(options)) {
    if (const auto kept = kept_answer(folder_of(options, document), optimize_key(document, request)))
      return shown(*kept, options);
  }
  if (!plan && options.samples > 0) {
    const auto found = by_search(document, request, options);
    if (found) return answer_of(document, *found, request, options);
    Answer answer;
    answer.status = Status::failed;
    answer.err = render(found.error(), Source("steptp", ""));
    return answer;
  }
  if (!plan && options.model) {
    return answer_of(document, optimize_by_model(document, request, options.device, options.model, options.seed),
                     request, options);
  }
  if (!plan) return answer_of(document, optimize(document, request), request, options);
  auto done = optimize_by(document, *plan, request);
  if (done) return answer_of(document, *done, request, options);
  Answer answer;
  answer.status = Status::bad_input;
  answer.err = concat(options.plan, ": ", done.error(), "; the program stays as it came\n");
  answer.out = program_text(document, document.program);
  if (json) {
    Json out;
    out.set("program", document.program.name).set("device", request.rates.name);
    out.set("leir", print(document.program)).set("fallback", true).set("reason", done.error());
    answer.out = out.dump() + "\n";
  }
  return answer;
}

/// An archive or a Python file as a document; the values of its parameters go beside the program.
Status optimize_model(OptimizeOptions& options, const OptimizeRequest& request, const std::optional<Plan>& plan) {
  options.import.file = options.records.file;
  const auto model = import_model(options.import);
  if (!model) return report_import(model.error(), options.import.file, options.records.json);
  for (const std::string& note : model->notes) {
    std::fputs(concat(options.import.file, ": note: ", note, "\n").c_str(), stderr);
  }
  const Document document = read_document(options.import.file, print_document(model->program, Profile::paper));
  const Answer answer = optimize_document(document, request, options, plan);
  std::fputs(answer.err.c_str(), stderr);
  if (!write_out(answer.out)) return Status::failed;
  if (options.folder.empty() || answer.status > Status::no) return answer.status;
  const auto values = write_npz(options.folder + "/values.npz", model->arrays);
  const auto names = write_files(options.folder, {{"names.json", model->names.dump() + "\n"}});
  for (const auto* written : {&values, &names}) {
    if (*written) continue;
    print_error(written->error());
    return Status::failed;
  }
  return answer.status;
}

/// Files that run elsewhere are made by the Python package, which has PyTorch.
Status emit(const OptimizeOptions& options) {
  const std::string& file = options.records.file;
  if (!file.ends_with(".py") || options.folder.empty()) {
    return bad_input(make_error("usage", concat("--emit ", options.emit, " wants a .py file and -o OUT"),
                                "for other files, leave out --emit: -o DIR has the program and its plan"));
  }
  return become_python_tool(options.import.python, "steptp.torch_out.emitting",
                            {file, "--emit", options.emit, "--device", options.device, "-o", options.folder});
}

Status run(OptimizeOptions& options) {
  const auto rates = find_rates(options.device);
  if (!rates) return bad_input(device_problem("usage", "--device: ", options.device, rates.error()));
  if (!options.emit.empty()) return emit(options);
  const bool is_here = options.device == "cpu" || options.device == "cuda";
  if (options.samples > 0 && (!is_here || !options.plan.empty())) {
    return bad_input(make_error("usage", is_here ? "--samples looks for a plan, and --plan gives one"
                                                 : concat("--samples measures on this machine, which ", options.device,
                                                          " is not: it wants --device cpu or cuda")));
  }
  std::optional<Plan> plan;
  if (!options.plan.empty()) {
    auto read = read_plan(options.plan);
    if (!read) return bad_input(read.error());
    plan = std::move(read).value();
  }
  if (!take_proposer(options)) return Status::bad_input;
  OptimizeRequest request = request_of(options, *rates);
  const std::string& file = options.records.file;
  PlanProgress progress;
  const bool is_many = file.ends_with(".jsonl");
  if (!is_many) {
    request.progress = [&progress](std::string_view what, std::size_t done, std::size_t all) {
      progress.show(what, done, all);
    };
  }
  if (file.ends_with(".pt2") || file.ends_with(".py")) return optimize_model(options, request, plan);
  // Many programs side by side, each by one thread; a single one by all of them.
  if (is_many) request.jobs = 1;
  // What is measured is alone.
  const unsigned side_by_side = is_many && options.samples == 0 ? options.records.jobs : 1;
  return for_each_record(file, side_by_side, is_many ? "optimize" : "",
                         [&](const Document& document) { return optimize_document(document, request, options, plan); });
}

}  // namespace

VerbMain add_optimize(CLI::App& app) {
  auto options = std::make_shared<OptimizeOptions>();
  CLI::App* verb =
      app.add_subcommand("optimize", "make a program fast for a device, verified; with --samples by measuring");
  verb->footer(
      "A .pt2 file is an archive of torch.export, a .py file one that `steptp import` reads.\n"
      "A plan of moves is chosen by what is expected of its kernels on the device, checked, and judged: the end "
      "against\n"
      "the program as it came, or link by link. What cannot be shown equal is not used, and where no plan can, the\n"
      "program stays as it came, which is said. Without -o: prints the program. With -o: writes the folder, prints "
      "the\n"
      "verdict.\n"
      "Exit status: 0 done, also where the program stays as it came; 1 it does not fit the device, and no plan makes "
      "it\n"
      "fit; 2 bad input; 3 check cannot decide whether accesses are in range; 4 the machine failed.\n"
      "Example: steptp optimize examples/row_softmax.leir --device nvidia-h200 --explain -o fast");
  add_record_options(*verb, options->records);
  verb->get_option("FILE")->description("a .leir, .json, .jsonl, .pt2 or .py file, or - for standard input");
  verb->add_option("--device", options->device, "the device to make it fast for; steptp device lists them")
      ->capture_default_str();
  verb->add_option("--output,-o", options->folder,
                   "a folder for the program, plan, recipe, verdict, certificates, and what is expected");
  verb->add_option("--emit", options->emit,
                   "of a .py file: a file with ModelNew (kernelbench), a folder that Python runs (module), or CUDA "
                   "text (cuda)")
      ->check(one_of({"module", "kernelbench", "cuda"}));
  verb->add_flag("--explain", options->explain, "print the plan in words instead of the program");
  verb->add_option("--samples", options->samples,
                   "how many programs a search by rules measures on this machine, the program as it came included; 0 "
                   "measures nothing")
      ->check(not_negative())
      ->capture_default_str();
  verb->add_option("--proposer", options->proposer,
                   "who chooses the plan: moves (a search over moves by what is expected of them), or tlm (the tensor "
                   "language model writes plans, see docs/tlm.md)")
      ->check(one_of({"moves", "tlm"}))
      ->capture_default_str();
  verb->add_option("--weights", options->weights,
                   "with --proposer tlm: a weights file instead of those that come with the program for the device");
  verb->add_option("--plan", options->plan, "use this plan, checked and judged, instead of choosing one");
  verb->add_option("--seconds", options->seconds,
                   "end after so many seconds with what is verified by then; 0 means no limit")
      ->check(not_negative())
      ->capture_default_str();
  verb->add_flag("--require-safe", options->require_safe, "use no plan whose end is not shown safe");
  verb->add_flag("--timing", options->timing, "with --json: also how long planning and judging took");
  verb->add_option("--seed", options->seed, "of the judge's draws")->capture_default_str();
  add_worker_options(*verb, options->workers);
  verb->add_option("--python", options->import.python, "for a .py file: the Python that has PyTorch")
      ->capture_default_str();
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
