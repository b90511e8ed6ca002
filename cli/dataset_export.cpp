// dataset export: a build as a Hugging Face dataset repository.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/dataset_verbs.h"
#include "cli/interrupts.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/progress.h"
#include "steptp/base/text.h"
#include "steptp/exports/export.h"
#include "steptp/exports/tables.h"

namespace steptp::cli {

namespace {

struct ExportArguments {
  std::string folder;
  dataset::ExportOptions options;
  unsigned jobs = 0;
  bool json = false;
};

Status run_export(ExportArguments& arguments) {
  dataset::ExportOptions& options = arguments.options;
  options.jobs = arguments.jobs == 0 ? default_jobs() : arguments.jobs;
  std::unique_ptr<Progress> progress;
  options.progress = [&progress](std::uint64_t done, std::uint64_t total) {
    if (!progress) progress = std::make_unique<Progress>("export", total);
    progress->update(done);
  };
  options.go_on = go_on_until_interrupted();
  const auto exported = dataset::export_dataset(arguments.folder, options);
  progress.reset();
  if (!exported) {
    print_error(exported.error());
    return exported.error().id == "write" ? Status::failed : Status::bad_input;
  }
  if (!*exported) {
    std::fputs("steptp: note: stopped; run the same command again, it begins anew\n", stderr);
    return Status::undecided;
  }
  const dataset::Manifest& manifest = **exported;
  const std::string& folder = options.out.empty() ? arguments.folder : options.out;
  const std::string text = arguments.json ? dataset::to_json(manifest).dump() + "\n" : export_text(manifest, folder);
  return write_out(text) ? Status::yes : Status::failed;
}

}  // namespace

std::string export_text(const dataset::Manifest& manifest, const std::string& folder) {
  std::string out;
  for (const dataset::ExportedTable& table : manifest.tables) {
    append(out, table.name, ":");
    for (const dataset::SplitFile& file : table.splits) {
      append(out, " ", dataset::name_of(file.split), " ", file.rows);
      if (file.too_long > 0) append(out, " (", file.too_long, " too long)");
    }
    out += '\n';
  }
  if (manifest.near_misses_tried > 0) {
    append(out, "wrong answers: ", manifest.near_misses_found, " found for ", manifest.near_misses_tried,
           " right ones\n");
  }
  append(out, "in ", folder, "; README.md says how to load it\n");
  return out;
}

VerbMain add_dataset_export(CLI::App& dataset_verb) {
  auto arguments = std::make_shared<ExportArguments>();
  dataset::ExportOptions& options = arguments->options;
  CLI::App* verb = dataset_verb.add_subcommand("export", "training files of a finished build, for Hugging Face");
  verb->footer(
      concat("The configs are ",
             join(dataset::all_configs(), " ", [](const dataset::ExportConfig& config) { return config.name; }),
             ".\nNothing is built again: export as often as you like.\n"
             "Example: steptp dataset export my_steps --out for_trl --configs sft_trl,dpo_trl --max-tokens 8192"));
  verb->add_option("DIR", arguments->folder, "the folder of the build")->required();
  verb->add_option("--out,-o", options.out, "the folder to write to; without it, DIR itself");
  verb->add_option("--configs", options.configs, "the configs to write, with commas between; without it all of them")
      ->delimiter(',');
  verb->add_option("--max-tokens", options.max_tokens,
                   "leave out rows whose prompt and answer have more tokens than this; 0 leaves out none")
      ->capture_default_str();
  verb->add_flag("--only-useful", options.only_useful,
                 "leave out rows of which no answer is expected to be faster, on a GPU or a CPU");
  verb->add_option("--near-misses", options.near_misses,
                   "for how many right answers a wrong one is looked for (dpo_*, kto_trl, near_miss)")
      ->capture_default_str();
  verb->add_option("--trajectories", options.trajectories,
                   "for how many programs a walk of several steps is made, at most for one of every four (stepwise)")
      ->capture_default_str();
  verb->add_option("--seed", options.seed, "the seed of the wrong answers")->capture_default_str();
  verb->add_option("--jobs,-j", arguments->jobs, "how many threads there are; 0 means all cores")
      ->capture_default_str();
  verb->add_flag("--json", arguments->json, "print the manifest as one JSON object");
  return [arguments] { return run_export(*arguments); };
}

}  // namespace steptp::cli
