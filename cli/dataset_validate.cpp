// dataset validate: an exported dataset, looked at again as a whole.
#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <string>

#include "cli/dataset_verbs.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/progress.h"
#include "steptp/base/text.h"
#include "steptp/exports/validate.h"

namespace steptp::cli {

namespace {

struct ValidateArguments {
  std::string folder;
  std::string judge = "200";
  dataset::ValidateOptions options;
  unsigned jobs = 0;
  bool json = false;
};

bool read_judged(const std::string& text, std::uint64_t& judged) {
  if (text == "all" || text == "none") {
    judged = text == "all" ? UINT64_MAX : 0;
    return true;
  }
  const auto done = std::from_chars(text.data(), text.data() + text.size(), judged);
  return done.ec == std::errc() && done.ptr == text.data() + text.size();
}

std::string to_text(const dataset::Validation& found) {
  std::string out;
  for (const dataset::ValidationProblem& problem : found.problems) append(out, dataset::to_text(problem), "\n");
  return concat(out, found.files, " files, ", found.rows, " rows, ", found.replayed, " recipes replayed, ",
                found.judged, " rows judged again: ",
                found.ok() ? std::string("all is well") : concat(found.problems.size(), " problems"), "\n");
}

Status run_validate(ValidateArguments& arguments) {
  dataset::ValidateOptions& options = arguments.options;
  options.jobs = arguments.jobs == 0 ? default_jobs() : arguments.jobs;
  if (!read_judged(arguments.judge, options.judged)) {
    print_error(make_error("usage", concat("--judge is all, none or a number, not '", arguments.judge, "'")));
    return Status::bad_input;
  }
  std::unique_ptr<Progress> progress;
  options.progress = [&progress](std::uint64_t done, std::uint64_t total) {
    if (!progress) progress = std::make_unique<Progress>("validate", total);
    progress->update(done);
  };
  const auto found = dataset::validate_dataset(arguments.folder, options);
  progress.reset();
  if (!found) {
    print_error(found.error());
    return Status::bad_input;
  }
  if (!write_out(arguments.json ? dataset::to_json(*found).dump() + "\n" : to_text(*found))) return Status::failed;
  return found->ok() ? Status::yes : Status::no;
}

}  // namespace

VerbMain add_dataset_validate(CLI::App& dataset_verb) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* verb = dataset_verb.add_subcommand("validate", "read an exported dataset again and check every row");
  verb->footer(
      "Checksums; the schema of every row; hashes, recipes, reasoning and answers made again; leaks and duplicates;\n"
      "verdicts judged again. Every row that fails is named. Exit status 1 where there is one.\n"
      "Example: steptp dataset validate my_steps --judge all");
  verb->add_option("DIR", arguments->folder, "the folder of the export")->required();
  verb->add_option("--judge", arguments->judge, "how many rows are judged again: all, none or a number")
      ->capture_default_str();
  verb->add_option("--jobs,-j", arguments->jobs, "how many threads there are; 0 means all cores")
      ->capture_default_str();
  verb->add_flag("--json", arguments->json, "print one JSON object");
  return [arguments] { return run_validate(*arguments); };
}

}  // namespace steptp::cli
