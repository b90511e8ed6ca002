#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/dataset_verbs.h"
#include "cli/verb.h"

namespace steptp::cli {

VerbMain add_dataset(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("dataset", "build, export and check datasets of verified steps for training models");
  verb->require_subcommand(1);
  verb->footer(
      "The order of work: build, then show, stats and validate; export makes other training files of the same build.\n"
      "Example: steptp dataset build --out my_steps --programs 100        steptp dataset show my_steps");
  auto parts = std::make_shared<std::vector<std::pair<std::string, VerbMain>>>();
  parts->emplace_back("build", add_dataset_build(*verb));
  parts->emplace_back("merge", add_dataset_merge(*verb));
  parts->emplace_back("export", add_dataset_export(*verb));
  parts->emplace_back("stats", add_dataset_stats(*verb));
  parts->emplace_back("show", add_dataset_show(*verb));
  parts->emplace_back("validate", add_dataset_validate(*verb));
  return [verb, parts] {
    for (const auto& [name, part] : *parts) {
      if (verb->got_subcommand(name)) return part();
    }
    return Status::bad_input;
  };
}

}  // namespace steptp::cli
