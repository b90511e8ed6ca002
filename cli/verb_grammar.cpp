#include <CLI/CLI.hpp>
#include <memory>

#include "cli/checks.h"
#include "cli/verb.h"
#include "steptp/text/grammar.h"
#include "steptp/text/strategy_names.h"

namespace steptp::cli {

namespace {

struct GrammarOptions {
  std::string profile = "paper";
  std::string target = "program";
  bool published = false;
};

}  // namespace

VerbMain add_grammar(CLI::App& app) {
  auto options = std::make_shared<GrammarOptions>();
  CLI::App* verb = app.add_subcommand("grammar", "print a grammar in GBNF, for constrained decoding");
  verb->footer(
      "xgrammar, and so vLLM and SGLang, and llama.cpp read GBNF. `program` is a program alone; `answer` and\n"
      "`answers` are what a model is asked for: <answer>{\"transformed_IR\":...,\"applied_strategy\":...}</answer>.\n"
      "Example: steptp grammar --profile compact --for answer > answer.gbnf");
  verb->add_option("--profile", options->profile, "the spelling: paper (as published) or compact (fewer tokens)")
      ->check(one_of({"paper", "compact"}))
      ->capture_default_str();
  verb->add_option("--for", options->target,
                   "what the grammar accepts: a program, a model's answer, or several answers")
      ->check(one_of({"program", "answer", "answers"}))
      ->capture_default_str();
  verb->add_flag("--published", options->published, "without our extensions: no guards, no extension functions");
  return [options] {
    const std::string text = gbnf(*parse_profile(options->profile), *parse_grammar_target(options->target),
                                  strategy_names(), !options->published);
    return write_out(text) ? Status::yes : Status::failed;
  };
}

}  // namespace steptp::cli
