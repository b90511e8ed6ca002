#include <CLI/CLI.hpp>
#include <memory>

#include "cli/move_options.h"
#include "steptp/plans/listing.h"

namespace steptp::cli {

namespace {

struct MovesOptions {
  bool json = false;
  bool markdown = false;
};

std::string table() {
  std::string out;
  for (const Move* move : all_moves()) {
    std::string line(move->name);
    line.resize(std::max<std::size_t>(line.size() + 1, 12), ' ');
    out += line;
    out += move->summary;
    out += "\n";
  }
  return out;
}

}  // namespace

VerbMain add_moves(CLI::App& app) {
  auto options = std::make_shared<MovesOptions>();
  CLI::App* verb = app.add_subcommand("moves", "list the moves: goals that are made of many steps");
  verb->footer(
      "A move has a place and parameters, and answers with a recipe of strategies.\n"
      "Example: steptp explain inline        steptp choices matmul.leir --moves");
  verb->add_flag("--json", options->json, "one array, with parameters, refusals and picture");
  verb->add_flag("--markdown", options->markdown, "print the page docs/moves.md");
  return [options] {
    std::string text = options->markdown ? moves_page() : table();
    if (options->json) {
      Json::Array all;
      for (const Move* move : all_moves()) all.push_back(to_json(*move));
      text = Json(std::move(all)).dump() + "\n";
    }
    return write_out(text) ? Status::yes : Status::failed;
  };
}

}  // namespace steptp::cli
