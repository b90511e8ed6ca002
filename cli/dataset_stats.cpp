// dataset stats: what a build consists of, before and after the filter.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/dataset_verbs.h"
#include "steptp/base/file.h"
#include "steptp/base/progress.h"
#include "steptp/base/text.h"
#include "steptp/exports/statistics.h"

namespace steptp::cli {

namespace {

struct StatsArguments {
  std::string folder;
  std::string html;
  bool json = false;
};

Status run_stats(const StatsArguments& arguments) {
  std::unique_ptr<Progress> progress;
  const auto statistics =
      dataset::collect_statistics(arguments.folder, [&progress](std::uint64_t done, std::uint64_t total) {
        if (!progress) progress = std::make_unique<Progress>("stats", total);
        progress->update(done);
      });
  progress.reset();
  if (!statistics) {
    print_error(statistics.error());
    return Status::bad_input;
  }
  if (!arguments.html.empty()) {
    const auto written = write_file(arguments.html, dataset::html_report(*statistics));
    if (!written) {
      print_error(written.error());
      return Status::failed;
    }
  }
  const std::string text = arguments.json ? dataset::to_json(*statistics).dump() + "\n" : dataset::to_text(*statistics);
  return write_out(text) ? Status::yes : Status::failed;
}

}  // namespace

VerbMain add_dataset_stats(CLI::App& dataset_verb) {
  auto arguments = std::make_shared<StatsArguments>();
  CLI::App* verb = dataset_verb.add_subcommand("stats", "what a build consists of, before and after filtering");
  verb->footer("Example: steptp dataset stats my_steps --html report.html");
  verb->add_option("DIR", arguments->folder, "the folder of the build")->required();
  verb->add_option("--html", arguments->html, "write a report with plots, one file that needs no network");
  verb->add_flag("--json", arguments->json, "print all counts as one JSON object");
  return [arguments] { return run_stats(*arguments); };
}

}  // namespace steptp::cli
