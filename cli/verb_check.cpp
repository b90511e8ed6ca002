#include <CLI/CLI.hpp>
#include <memory>

#include "cli/device_problem.h"
#include "cli/verb.h"
#include "steptp/base/text.h"
#include "steptp/documents/check_document.h"
#include "steptp/structure/catalogue.h"

namespace steptp::cli {

namespace {

struct CheckArguments {
  RecordOptions records;
  std::string explain;
  std::string device;
  CheckOptions check;
};

Json verdict_json(CheckReport::Verdict verdict) {
  switch (verdict) {
    case CheckReport::Verdict::ok: return true;
    case CheckReport::Verdict::errors: return false;
    case CheckReport::Verdict::unknown: return "unknown";
  }
  return false;
}

Status status_of_report(CheckReport::Verdict verdict) {
  switch (verdict) {
    case CheckReport::Verdict::ok: return Status::yes;
    case CheckReport::Verdict::errors: return Status::no;
    case CheckReport::Verdict::unknown: return Status::undecided;
  }
  return Status::no;
}

Json report_json(const CheckReport& report) {
  Json out;
  Json::Array assumes;
  for (const std::string& text : report.assumes) assumes.emplace_back(text);
  out.set("ok", verdict_json(report.verdict)).set("extended", report.extended).set("assumes", std::move(assumes));
  return out.set("diagnostics", to_json(report.diagnostics));
}

std::string report_text(const Document& document, const CheckReport& report) {
  std::string out = document.source->name();
  if (!document.program.name.empty()) append(out, " (", document.program.name, ")");
  switch (report.verdict) {
    case CheckReport::Verdict::ok: out += ": ok"; break;
    case CheckReport::Verdict::errors: out += ": errors"; break;
    case CheckReport::Verdict::unknown: out += ": unknown"; break;
  }
  if (!report.assumes.empty()) {
    append(out, ", assuming ", join(report.assumes, "; ", [](const std::string& text) { return text; }));
  }
  return out + "\n";
}

Answer check(const Document& document, const CheckArguments& options) {
  if (!document.ok) {
    Answer answer = unreadable(document, false);
    if (options.records.json) {
      CheckReport report;
      report.verdict = CheckReport::Verdict::errors;
      report.diagnostics = document.diagnostics;
      answer.out = report_json(report).dump() + "\n";
    }
    return answer;
  }
  CheckReport report = check_document(document, options.check);
  Answer answer;
  answer.status = status_of_report(report.verdict);
  answer.err = render(report.diagnostics, *document.source);
  answer.out = options.records.json ? report_json(report).dump() + "\n" : report_text(document, report);
  return answer;
}

Status explain(const std::string& id) {
  const Explanation* entry = find_explanation(id);
  if (!entry) {
    std::string known = join(all_explanations(), " ", [](const Explanation& item) { return item.id; });
    print_error(make_error("usage", concat("there is no diagnostic '", id, "'"), concat("the ids are: ", known)));
    return Status::bad_input;
  }
  return write_out(to_text(*entry)) ? Status::yes : Status::failed;
}

}  // namespace

VerbMain add_check(CLI::App& app) {
  auto options = std::make_shared<CheckArguments>();
  CLI::App* verb = app.add_subcommand("check", "check that a program is well-formed and that its accesses are safe");
  verb->footer(
      "Bounds, definedness, output coverage and races are proved, refuted with a witness, or unknown.\n"
      "Exit status: 0 ok, 1 errors found, 2 unreadable input, 3 unknown.\n"
      "Launch limits are warnings, and errors where --device names a device.\n"
      "Example: steptp check matmul.leir        steptp check --explain undefined-read");
  add_record_options(*verb, options->records);
  verb->get_option("FILE")->required(false);
  verb->add_option("--explain", options->explain, "describe the diagnostic with this id");
  verb->add_option("--device", options->device,
                   concat("make the launch limits of this device errors: ", device_names()));
  return [options] {
    if (!options->explain.empty()) return explain(options->explain);
    if (!options->device.empty()) {
      options->check.device = find_device(options->device);
      if (!options->check.device) {
        print_error(no_such_device(options->device));
        return Status::bad_input;
      }
    }
    if (options->records.file.empty()) {
      print_error(
          make_error("usage", "check needs a FILE or --explain ID", "steptp check --help shows how it is called"));
      return Status::bad_input;
    }
    return for_each_record(options->records.file, options->records.jobs, "check",
                           [&](const Document& document) { return check(document, *options); });
  };
}

}  // namespace steptp::cli
