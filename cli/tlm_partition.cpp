#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/tlm_verbs.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/documents/check_document.h"
#include "steptp/import/import_model.h"
#include "steptp/text/document.h"
#include "steptp/tlm/partition.h"

namespace steptp::cli {

namespace {

struct PartitionOptions {
  std::string file;
  bool json = false;
};

/// The program of a .pt2 archive or of a .leir or .json file; a status after messages.
Result<Program, Status> read_network(const std::string& file) {
  if (file.ends_with(".pt2")) {
    auto model = import_model({.file = file, .training = {}});
    if (model) return std::move(model->program);
    for (const Diagnostic& diagnostic : model.error().diagnostics) print_error(diagnostic);
    return Status::bad_input;
  }
  auto content = read_file(file);
  if (!content) {
    print_error(content.error());
    return Status::bad_input;
  }
  Document document = read_document(file, std::move(*content));
  if (!document.ok) {
    std::cerr << render(document.diagnostics, *document.source);
    return Status::bad_input;
  }
  const CheckReport report = check_document(document, {});
  if (report.verdict != CheckReport::Verdict::errors) return std::move(document.program);
  std::cerr << render(report.diagnostics, *document.source);
  return Status::no;
}

Status run(const PartitionOptions& options) {
  const auto network = read_network(options.file);
  if (!network) return network.error();
  const auto parts = tlm::parts_of(*network);
  if (!parts) {
    print_error(make_error("partition", concat(options.file, ": ", parts.error())));
    return Status::no;
  }
  std::string out;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    const Program& part = (*parts)[i];
    const std::string name = concat(part.name, "/", i);
    const std::string document = print_document(part, Profile::paper);
    if (options.json) {
      out += Json()
                 .set("name", name)
                 .set("expressions", static_cast<std::uint64_t>(part.nests.size()))
                 .set("document", document)
                 .dump() +
             "\n";
    } else {
      append(out, name, ": ", part.nests.size(), " expressions\n");
    }
  }
  return write_out(out) ? Status::yes : Status::failed;
}

}  // namespace

VerbMain add_tlm_partition(CLI::App& tlm) {
  auto options = std::make_shared<PartitionOptions>();
  CLI::App* verb = tlm.add_subcommand("partition", "a network cut into parts that plans are looked for one by one");
  verb->footer(
      "Cheap elementwise producers are inlined first. A part has at most 8 expressions and one contraction.\n"
      "Exit status: 0 done, 1 the program has errors or cannot be cut, 2 unreadable.\n"
      "Example: steptp tlm partition model.pt2 --json");
  verb->add_option("FILE", options->file, "a .pt2 archive, or a .leir or .json file")->required();
  verb->add_flag("--json", options->json, "one JSON object for each part: \"name\", \"expressions\", \"document\"");
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
