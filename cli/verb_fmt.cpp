#include <CLI/CLI.hpp>
#include <memory>

#include "cli/checks.h"
#include "cli/verb.h"
#include "steptp/plans/plan.h"
#include "steptp/text/printer.h"

namespace steptp::cli {

namespace {

struct FmtOptions {
  RecordOptions records;
  std::string profile = "paper";
};

Answer format(const Document& document, Profile profile, const FmtOptions& options) {
  if (!document.ok) return unreadable(document, options.records.json);
  Answer answer;
  answer.err = render(document.diagnostics, *document.source);
  if (options.records.json) {
    Json out;
    out.set("leir", print(document.program, profile)).set("root", root_hash(document.program));
    answer.out = out.dump() + "\n";
  } else if (document.record.is_null()) {
    answer.out = print_document(document.program, profile);
  } else {
    answer.out = print(document.program, profile) + "\n";
  }
  return answer;
}

}  // namespace

VerbMain add_fmt(CLI::App& app) {
  auto options = std::make_shared<FmtOptions>();
  CLI::App* verb = app.add_subcommand("fmt", "print a program in canonical form, in either profile");
  verb->footer(
      "A .leir file keeps its signature lines; of a .jsonl file the program texts are printed, one per line.\n"
      "Example: steptp fmt --profile compact softmax.leir");
  add_record_options(*verb, options->records);
  verb->add_option("--profile", options->profile, "paper (the published text) or compact (fewer tokens)")
      ->check(one_of({"paper", "compact"}))
      ->capture_default_str();
  return [options] {
    const Profile profile = *parse_profile(options->profile);
    return for_each_record(options->records.file, options->records.jobs, "fmt",
                           [&](const Document& document) { return format(document, profile, *options); });
  };
}

}  // namespace steptp::cli
