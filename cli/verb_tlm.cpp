#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/tlm_verbs.h"

namespace steptp::cli {

VerbMain add_tlm(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("tlm", "plans as sentences of a fixed vocabulary, for language models");
  verb->require_subcommand(1);
  verb->footer(
      "docs/cursor.md explains decisions and sentences, docs/tlm.md the model; parts that say PyTorch start\n"
      "$STEPTP_PYTHON, otherwise python3.\n"
      "Example: steptp tlm sentences softmax.leir --device nvidia-h200 --samples 3 | steptp tlm replay -");
  auto parts = std::make_shared<std::vector<std::pair<std::string, VerbMain>>>();
  parts->emplace_back("sentences", add_tlm_sentences(*verb));
  parts->emplace_back("tokenize", add_tlm_tokenize(*verb));
  parts->emplace_back("replay", add_tlm_replay(*verb));
  parts->emplace_back("generate", add_tlm_generate(*verb));
  parts->emplace_back("partition", add_tlm_partition(*verb));
  parts->emplace_back("measure", add_tlm_measure(*verb));
  for (auto& part : add_tlm_python(*verb)) parts->push_back(std::move(part));
  return [verb, parts] {
    for (const auto& [name, part] : *parts) {
      if (verb->got_subcommand(name)) return part();
    }
    return Status::bad_input;
  };
}

}  // namespace steptp::cli
