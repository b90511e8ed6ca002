// dataset build and dataset merge.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/checks.h"
#include "cli/dataset_verbs.h"
#include "cli/interrupts.h"
#include "steptp/base/file.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/progress.h"
#include "steptp/base/text.h"
#include "steptp/dataset/build.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/requested.h"
#include "steptp/exports/export.h"

namespace steptp::cli {

namespace {

struct BuildArguments {
  dataset::BuildOptions options;
  std::string config;
  std::vector<std::string> imports;  ///< files and folders
  std::string shard = "0/1";
  std::string time_limit;
  std::map<std::string, std::string> settings;  ///< by key, those that were given
  std::vector<std::string> folders;             ///< to merge
  unsigned jobs = 0;
  bool print_config = false;
  bool no_export = false;
  bool json = false;
};

Status refuse(const Diagnostic& diagnostic) {
  print_error(diagnostic);
  if (diagnostic.id == "write" || diagnostic.id == "worker" || diagnostic.id == "file") return Status::failed;
  return diagnostic.id == "leak" || diagnostic.id == "compile" ? Status::no : Status::bad_input;
}

Diagnostic usage(std::string message) { return make_error("usage", std::move(message)); }

Result<dataset::Configuration, Diagnostic> requested_configuration(const BuildArguments& arguments) {
  dataset::RequestedDataset requested{{}, arguments.settings, arguments.options.imports};
  if (!arguments.config.empty()) {
    auto text = read_file(arguments.config);
    if (!text) return text.error();
    requested.config = std::move(text).value();
    if (requested.config.find_first_not_of(" \t\r\n") == std::string::npos) {
      return make_error("configuration", concat("'", arguments.config, "' is empty: it has no settings"),
                        "{} stands for all defaults; steptp dataset build --print-config shows them");
    }
  }
  return dataset::configuration_of(requested);
}

bool read_shard(const std::string& text, dataset::BuildOptions& options) {
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, options.shard);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '/') return false;
  const auto second = std::from_chars(first.ptr + 1, end, options.shards);
  return second.ec == std::errc() && second.ptr == end && options.shard < options.shards;
}

/// Seconds, or a number with s, m or h behind it.
std::optional<double> read_duration(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto done = std::from_chars(text.data(), end, number);
  if (done.ec != std::errc() || !(number >= 0)) return std::nullopt;
  const std::string_view unit(done.ptr, static_cast<std::size_t>(end - done.ptr));
  if (unit.empty() || unit == "s") return number;
  if (unit == "m") return 60 * number;
  return unit == "h" ? std::optional(3600 * number) : std::nullopt;
}

std::string counts_text(const Json* counts) {
  if (!counts || !counts->as_object() || counts->as_object()->empty()) return "none";
  return join(*counts->as_object(), ", ", [](const auto& one) { return concat(one.second.dump(), " ", one.first); });
}

std::string percent_text(const Json* counts) {
  const Json* percent = counts ? counts->find("percent") : nullptr;
  if (!percent) return "none";
  return concat(percent->find("difficult")->dump(), " / ", percent->find("medium")->dump(), " / ",
                percent->find("easy")->dump(), " % difficult / medium / easy");
}

void print_summary(const Json& summary, const std::string& folder) {
  const auto line = [](std::string_view title, const std::string& text) { return concat(title, text, "\n"); };
  const Json* rows = summary.find("rows");
  std::string out;
  out += line("programs    ", counts_text(summary.find("programs")));
  out += line("entries     ", counts_text(summary.find("entries")));
  out += line("grades      ", counts_text(summary.find("grades")));
  out += line("dropped     ", counts_text(summary.find("dropped")));
  out += line("excluded    ", counts_text(summary.find("excluded")));
  out += line("raw         ", percent_text(summary.find("raw_difficulty")));
  out += line("filtered    ", percent_text(summary.find("filtered_difficulty")));
  out += line("single rows ", counts_text(rows ? rows->find("single") : nullptr));
  out += line("multi rows  ", counts_text(rows ? rows->find("multi") : nullptr));
  out += line("in          ", folder);
  (void)write_out(out);
  if (const Json* reached = summary.find("mix_reached"); reached && !*reached->as_bool()) {
    std::fputs("steptp: note: the wanted mix of difficulties cannot be reached by dropping medium and easy rows\n",
               stderr);
  }
}

Status say_stopped(std::string_view where) {
  std::fputs(concat("steptp: note: stopped ", where, "; run the same command again to go on\n").c_str(), stderr);
  return Status::undecided;
}

/// A complete build has training files beside it, unless they are not wanted.
Status export_and_report(const BuildArguments& arguments, const dataset::BuildAnswer& answer) {
  const std::string& folder = arguments.options.folder;
  std::optional<dataset::Manifest> manifest;
  if (!arguments.no_export) {
    dataset::ExportOptions options;
    options.jobs = arguments.options.jobs;
    options.go_on = arguments.options.go_on;
    std::unique_ptr<Progress> progress;
    options.progress = [&progress](std::uint64_t done, std::uint64_t total) {
      if (!progress) progress = std::make_unique<Progress>("export", total);
      progress->update(done);
    };
    auto exported = dataset::export_where_missing(folder, options);
    progress.reset();
    if (!exported) return refuse(exported.error());
    if (!*exported) return say_stopped("while the training files were made");
    manifest = **std::move(exported);
  }
  if (arguments.json) {
    Json summary = answer.summary;
    if (manifest) summary.set("exported", dataset::to_json(*manifest));
    return write_out(summary.dump() + "\n") ? Status::yes : Status::failed;
  }
  print_summary(answer.summary, folder);
  return !manifest || write_out("\n" + export_text(*manifest, folder)) ? Status::yes : Status::failed;
}

Status report(const BuildArguments& arguments, const dataset::BuildAnswer& answer) {
  if (!answer.absent_compilers.empty()) {
    std::fputs(
        concat("steptp: note: the sample of rows was not compiled by all compilers: ", answer.absent_compilers, "\n")
            .c_str(),
        stderr);
  }
  for (const std::string& program : answer.quarantined) {
    std::fputs(concat("steptp: warning: quarantined ", program, "\n").c_str(), stderr);
  }
  switch (answer.end) {
    case dataset::BuildAnswer::End::complete: return export_and_report(arguments, answer);
    case dataset::BuildAnswer::End::stopped:
      return say_stopped(answer.parts_left > 0 ? concat("with ", answer.parts_left, " parts to make")
                                               : "while rows were selected and compiled");
    case dataset::BuildAnswer::End::shard: break;
  }
  std::fputs("steptp: note: the shard is complete; steptp dataset merge makes one dataset of all\n", stderr);
  return Status::yes;
}

Status build(BuildArguments& arguments) {
  auto imports = dataset::find_imports(arguments.imports);
  if (!imports) return refuse(imports.error());
  arguments.options.imports = std::move(imports).value();
  const auto configuration = requested_configuration(arguments);
  if (!configuration) return refuse(configuration.error());
  if (arguments.print_config) {
    return write_out(dataset::to_json(*configuration).dump() + "\n") ? Status::yes : Status::failed;
  }
  dataset::BuildOptions& options = arguments.options;
  if (configuration->programs == 0 && options.imports.empty())
    return refuse(usage("--programs is 0, so there is nothing to make a dataset of"));
  if (options.folder.empty()) return refuse(usage("--out FOLDER is missing: it names the folder of the dataset"));
  if (!read_shard(arguments.shard, options))
    return refuse(usage(concat("--shard is I/N with I from 0 to N-1, not '", arguments.shard, "'")));
  const auto seconds = arguments.time_limit.empty() ? 0 : read_duration(arguments.time_limit);
  if (!seconds) return refuse(usage(concat("--time-limit is 90, 90s, 15m or 2h, not '", arguments.time_limit, "'")));
  options.jobs = arguments.jobs == 0 ? default_jobs() : arguments.jobs;
  options.go_on = go_on_until_interrupted(*seconds);
  std::unique_ptr<Progress> progress;
  options.progress = [&](std::uint64_t done, std::uint64_t all, std::uint64_t entries) {
    if (!progress) progress = std::make_unique<Progress>("programs", all);
    progress->update(done, concat(entries, " entries"));
  };
  const auto answer = dataset::build_dataset(*configuration, options);
  progress.reset();
  return answer ? report(arguments, *answer) : refuse(answer.error());
}

Status merge(BuildArguments& arguments) {
  arguments.options.jobs = arguments.jobs == 0 ? default_jobs() : arguments.jobs;
  auto imports = dataset::find_imports(arguments.imports);
  if (!imports) return refuse(imports.error());
  arguments.options.imports = std::move(imports).value();
  arguments.options.go_on = go_on_until_interrupted();
  const auto answer = dataset::merge_datasets(arguments.folders, arguments.options);
  return answer ? report(arguments, *answer) : refuse(answer.error());
}

/// "test_shape_programs" is --test-shape-programs.
std::string option_name(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

void add_settings(CLI::App& verb, BuildArguments& arguments) {
  for (const dataset::Setting& setting : dataset::all_settings()) {
    if (setting.key == "imports" || setting.key == "import_sums") continue;
    const auto set = [&arguments, key = setting.key](const std::string& text) { arguments.settings[key] = text; };
    if (setting.is_flag) {
      verb.add_flag_callback(
              option_name(setting.key), [set] { set("true"); }, setting.help)
          ->group("Dataset");
      continue;
    }
    verb.add_option_function<std::string>(option_name(setting.key), set, setting.help)
        ->default_str(setting.fallback)
        ->group("Dataset");
  }
}

}  // namespace

VerbMain add_dataset_build(CLI::App& dataset_verb) {
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App* verb = dataset_verb.add_subcommand("build", "make a dataset, or go on with one");
  verb->footer(
      "The same options give the same bytes, whatever the number of jobs and shards. A build that was stopped, killed\n"
      "or ran out of space goes on where it was when the same command is given again. With --programs alone, all "
      "other\n"
      "counts are scaled with it. Lists are written with commas. build.log says what happened.\n"
      "A complete build is exported into the same folder, in all configs: a Hugging Face dataset repository.\n"
      "Example: steptp dataset build --out my_steps --programs 100 --seed 7");
  verb->add_option("--out,-o", arguments->options.folder, "the folder of the dataset");
  verb->add_option("--config", arguments->config, "a JSON file with settings, or the build.json of another dataset");
  verb->add_flag("--print-config", arguments->print_config, "print all settings as JSON and build nothing");
  verb->add_option("--import", arguments->imports, "take .pt2 files into train: files, or folders with such files");
  verb->add_option("--jobs,-j", arguments->jobs, "how many worker processes there are; 0 means all cores")
      ->capture_default_str();
  verb->add_option("--shard", arguments->shard, "I/N: make the I-th of N parts; dataset merge puts them together")
      ->capture_default_str();
  verb->add_option("--python", arguments->options.python, "a Python that has TVM, for the rows that are compiled too")
      ->capture_default_str();
  verb->add_option("--time-limit", arguments->time_limit,
                   "stop after this time: 90 (seconds), 15m or 2h; the same command goes on later");
  verb->add_option("--program-timeout", arguments->options.program_seconds,
                   "how many seconds one program may take before it is left out and kept in quarantine")
      ->check(positive())
      ->capture_default_str();
  verb->add_flag("--no-export", arguments->no_export, "make no training files; steptp dataset export does it later");
  verb->add_flag("--json", arguments->json, "print the summary as one JSON object");
  add_settings(*verb, *arguments);
  return [arguments] { return build(*arguments); };
}

VerbMain add_dataset_merge(CLI::App& dataset_verb) {
  auto arguments = std::make_shared<BuildArguments>();
  CLI::App* verb = dataset_verb.add_subcommand("merge", "one dataset out of the shards of a build");
  verb->footer(
      "Gives the bytes of a build without shards, training files included.\nExample: steptp dataset merge s0 s1 s2 "
      "--out my_steps");
  verb->add_option("FOLDERS", arguments->folders, "folders made with --shard")->required();
  verb->add_option("--out,-o", arguments->options.folder, "the folder of the dataset")->required();
  verb->add_option("--import", arguments->imports, "the files or folders that were given to build");
  verb->add_option("--python", arguments->options.python, "a Python that has TVM, for the rows that are compiled too")
      ->capture_default_str();
  verb->add_option("--jobs,-j", arguments->jobs, "how many worker processes there are; 0 means all cores")
      ->capture_default_str();
  verb->add_flag("--no-export", arguments->no_export, "make no training files; steptp dataset export does it later");
  verb->add_flag("--json", arguments->json, "print the summary as one JSON object");
  return [arguments] { return merge(*arguments); };
}

}  // namespace steptp::cli
