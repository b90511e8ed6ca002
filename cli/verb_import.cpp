#include <CLI/CLI.hpp>
#include <memory>

#include "cli/checks.h"
#include "cli/import_report.h"
#include "cli/verb.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/import/import_model.h"
#include "steptp/oracle/npz.h"
#include "steptp/text/document.h"

namespace steptp::cli {

namespace {

struct ImportVerbOptions {
  ImportRequest request;
  std::string mode;
  std::string output;
  bool json = false;
};

Json notes_json(const std::vector<std::string>& notes) {
  Json out{Json::Array()};
  for (const std::string& note : notes) out.push(note);
  return out;
}

/// OUT, OUT.npz and OUT.names.json; the last two without the ending of a program's file.
bool write_files(const ImportVerbOptions& options, const ImportedModel& model) {
  const bool record = options.output.ends_with(".json") || options.output.ends_with(".jsonl");
  const std::string text =
      record ? to_json(model.program, Profile::paper).dump() + "\n" : print_document(model.program, Profile::paper);
  std::string stem = options.output;
  for (const std::string_view ending : {".leir", ".jsonl", ".json"}) {
    if (stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
  }
  const auto done = [](const Result<bool, Diagnostic>& written) {
    if (!written) print_error(written.error());
    return written.ok();
  };
  return done(write_file(options.output, text)) && done(write_npz(stem + ".npz", model.arrays)) &&
         done(write_file(stem + ".names.json", model.names.dump() + "\n"));
}

Status run(ImportVerbOptions& options) {
  if (!options.mode.empty()) options.request.training = options.mode == "train";
  const auto model = import_model(options.request);
  if (!model) return report_import(model.error(), options.request.file, options.json);
  for (const std::string& note : model->notes) {
    std::fputs(concat(options.request.file, ": note: ", note, "\n").c_str(), stderr);
  }
  if (!options.output.empty() && !write_files(options, *model)) return Status::failed;
  if (options.json) {
    Json out = to_json(model->program, Profile::paper);
    out.set("names", model->names).set("notes", notes_json(model->notes));
    return write_out(out.dump() + "\n") ? Status::yes : Status::failed;
  }
  if (!options.output.empty()) return Status::yes;
  return write_out(print_document(model->program, Profile::paper)) ? Status::yes : Status::failed;
}

}  // namespace

VerbMain add_import(CLI::App& app) {
  auto options = std::make_shared<ImportVerbOptions>();
  CLI::App* verb = app.add_subcommand("import", "make a program from a PyTorch model");
  verb->footer(
      "A .pt2 file is an archive of torch.export.save (PyTorch 2.6 to 2.15), read without PyTorch. A .py file defines\n"
      "Model, get_inputs() and get_init_inputs(); it is captured with your own Python and PyTorch. Dropout is the\n"
      "identity. With -o, OUT is the program, OUT.npz holds the values of its parameters and constants by their names\n"
      "in the program, as far as the file has them, and OUT.names.json says which tensor of the module each one is; "
      "the\n"
      "ending .leir or .json of OUT is left out of the last two.\n"
      "Exit status: 1 not supported, 2 the file is wrong or the model fails, 3 out of time, 4 no Python or no "
      "PyTorch.\n"
      "Example: steptp import model.pt2 -o model.leir     steptp run model.leir --inputs model.npz");
  verb->add_option("FILE", options->request.file, "a .pt2 or a .py file")->required();
  verb->add_option("-o,--output", options->output, "where the program goes; standard output if not given");
  verb->add_option(
          "--mode", options->mode,
          "train: norms use the statistics of the batch (the default for a .py file); eval: running statistics")
      ->check(one_of({"eval", "train"}));
  verb->add_option("--timeout", options->request.seconds, "how many seconds capturing a .py file may take")
      ->check(between(0.001, 1e9))
      ->capture_default_str();
  verb->add_option("--python", options->request.python, "a Python that has PyTorch")->capture_default_str();
  verb->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
