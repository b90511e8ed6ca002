// dataset show: rows of an exported dataset for people to read.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "cli/checks.h"
#include "cli/dataset_verbs.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/exports/show.h"
#include "steptp/recipe/recipe.h"
#include "steptp/recipe/registry.h"

namespace steptp::cli {

namespace {

struct ShowArguments {
  std::string folder;
  std::string table = "chat/full/single";
  std::string split;
  std::uint64_t row = 0;
  dataset::WantedRow wanted;
  bool json = false;
};

/// Short values stand behind their name, texts of several lines and messages below it.
void describe(const std::string& name, const Json& value, std::string& out) {
  if (const std::string* text = value.as_string()) {
    const bool is_long = text->size() > 80 || text->find('\n') != std::string::npos;
    append(out, name, is_long ? ":\n" : ": ", *text, "\n");
  } else if (const Json::Array* items = value.as_array(); items && !items->empty() && items->front().find("content")) {
    for (const Json& message : *items) {
      append(out, "--- ", name, ", ", *message.find("role")->as_string(), ":\n", *message.find("content")->as_string(),
             "\n");
    }
  } else {
    append(out, name, ": ", value.dump(), "\n");
  }
}

Status run_show(const ShowArguments& arguments) {
  if (const std::string& name = arguments.wanted.strategy; !name.empty() && !find_strategy(name)) {
    print_error(make_error("usage", unknown_strategy(name), "steptp strategies lists them"));
    return Status::bad_input;
  }
  const auto line =
      dataset::read_row(arguments.folder, arguments.table, arguments.split, arguments.row, arguments.wanted);
  if (!line) {
    print_error(line.error());
    return Status::bad_input;
  }
  if (arguments.json) return write_out(*line + "\n") ? Status::yes : Status::failed;
  const auto row = parse_json(*line);
  if (!row || !row->as_object()) {
    print_error(make_error("json", concat("row ", arguments.row, " is not a JSON object")));
    return Status::bad_input;
  }
  std::string text;
  for (const auto& [name, value] : *row->as_object()) describe(name, value, text);
  return write_out(text) ? Status::yes : Status::failed;
}

}  // namespace

VerbMain add_dataset_show(CLI::App& dataset_verb) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* verb = dataset_verb.add_subcommand("show", "one row of an exported dataset, to read");
  verb->footer(
      "Example: steptp dataset show my_steps --table chat/full/multi --row 3\n"
      "         steptp dataset show my_steps --strategy loop_split --most-tokens 800");
  verb->add_option("DIR", arguments->folder, "the folder of the export")->required();
  verb->add_option("--table", arguments->table, "a folder below DIR/data")->capture_default_str();
  verb->add_option("--split", arguments->split,
                   "train, test_shape, test_type or multi_step; without it train, or the only split that has rows");
  verb->add_option("--row", arguments->row, "the number of the row, from 0")->capture_default_str();
  verb->add_option("--strategy", arguments->wanted.strategy, "count only rows with an answer of this strategy");
  verb->add_option("--difficulty", arguments->wanted.difficulty, "count only rows with an answer of this difficulty")
      ->check(CLI::IsMember({"easy", "medium", "difficult"}));
  verb->add_option("--most-tokens", arguments->wanted.most_tokens,
                   "count only rows with at most so many tokens, question and answer together; 0: all");
  verb->add_option("--least-usefulness", arguments->wanted.least_usefulness,
                   "count only rows that are expected to save at least this share of the time, from 0 to 1")
      ->check(between(0.0, 1.0));
  verb->add_flag("--json", arguments->json, "print the row as JSON, as it stands in the file");
  return [arguments] { return run_show(*arguments); };
}

}  // namespace steptp::cli
