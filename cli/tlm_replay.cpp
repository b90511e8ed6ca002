#include <CLI/CLI.hpp>
#include <memory>

#include "cli/tlm_verbs.h"
#include "steptp/base/text.h"
#include "steptp/cursor/facts_json.h"
#include "steptp/cursor/sentence.h"
#include "steptp/text/document.h"

namespace steptp::cli {

namespace {

struct ReplayOptions {
  std::string file;
  bool json = false;
  bool facts = false;
  unsigned jobs = 0;
};

Answer refused(Status status, const std::string& name, const std::string& why, bool json) {
  Answer out;
  out.status = status;
  out.err = concat(name, ": error: ", why, "\n");
  if (json) out.out = Json().set("error", why).dump() + "\n";
  return out;
}

Answer replay_line(const std::string& name, const std::string& text, const ReplayOptions& options) {
  const auto tokens = cursor::tokens_of_text(text);
  if (!tokens) return refused(Status::bad_input, name, tokens.error(), options.json);
  const auto found = cursor::replay_sentence(*tokens);
  if (!found) return refused(Status::no, name, found.error(), options.json);
  const auto finished = found->finish();
  if (!finished) return refused(Status::no, name, finished.error(), options.json);
  Answer out;
  if (!options.json && !options.facts) {
    out.out = print_document(finished->moved.program, Profile::paper);
    return out;
  }
  Json made = options.json ? cursor::to_json(*finished) : Json();
  if (options.facts) {
    const auto facts = found->facts();
    if (!facts) return refused(Status::no, name, facts.error(), options.json);
    made.set("facts", cursor::to_json(*facts));
  }
  out.out = made.dump() + "\n";
  return out;
}

}  // namespace

VerbMain add_tlm_replay(CLI::App& tlm) {
  auto options = std::make_shared<ReplayOptions>();
  CLI::App* verb = tlm.add_subcommand("replay", "what sentences make: the program, its plan and its recipe");
  verb->footer(
      "Reads a sentence in each line. A sentence says its program, its device and its decisions, so nothing else is "
      "needed;\n"
      "names are generated. With --json: {\"leir\",\"plan\",\"recipe\"} in each line.\n"
      "Exit status: 0 made, 1 it is no sentence or a decision is not legal, 2 a word that is not in the vocabulary.\n"
      "Example: steptp tlm sentences softmax.leir | steptp tlm replay -");
  verb->add_option("FILE", options->file, "a file with a sentence in each line, or - for standard input")->required();
  verb->add_flag("--json", options->json, "print one JSON object per sentence on standard output");
  verb->add_flag("--facts", options->facts, "also what its kernels ask of the device, as JSON");
  verb->add_option("--jobs,-j", options->jobs, "how many threads work on a file of many sentences; 0 means all cores")
      ->capture_default_str();
  return [options] {
    return for_each_line(options->file, options->jobs, "replay", [&](const std::string& name, const std::string& text) {
      return replay_line(name, text, *options);
    });
  };
}

}  // namespace steptp::cli
