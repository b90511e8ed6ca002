#include <CLI/CLI.hpp>
#include <memory>

#include "cli/verb.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/documents/check_document.h"
#include "steptp/estimate/estimate.h"

namespace steptp::cli {

namespace {

struct EstimateOptions {
  RecordOptions records;
  std::string device = "cpu";
  std::string rates;
};

/// The table of the device; nothing after a message.
std::optional<DeviceRates> read_rates(const EstimateOptions& options) {
  if (options.rates.empty()) {
    auto rates = find_rates(options.device);
    if (rates) return std::move(rates).value();
    print_error(make_error("device", rates.error()));
    return std::nullopt;
  }
  const auto text = read_file(options.rates);
  if (!text) {
    print_error(text.error());
    return std::nullopt;
  }
  const auto json = parse_json(*text);
  auto rates = json ? rates_of_json(*json) : Result<DeviceRates, std::string>(json.error().message);
  if (rates) return std::move(rates).value();
  print_error(make_error("device", concat(options.rates, ": ", rates.error()),
                         "`steptp device NAME --json` prints a table that can be changed"));
  return std::nullopt;
}

Answer estimate_one(const Document& document, const DeviceRates& rates, bool json) {
  if (!document.ok) return unreadable(document, json);
  const CheckReport report = check_document(document, {});
  Answer answer;
  if (report.verdict == CheckReport::Verdict::errors) {
    answer.status = Status::no;
    answer.err = render(report.diagnostics, *document.source);
    if (json) answer.out = Json().set("error", "check").dump() + "\n";
    return answer;
  }
  const auto made = estimate(document.program, rates);
  if (!made) {
    answer.status = Status::no;
    answer.err = render({make_error("estimate", made.error())}, *document.source);
    if (json) answer.out = Json().set("error", made.error()).dump() + "\n";
    return answer;
  }
  const double floor = floor_seconds(document.program, rates);
  if (json) {
    answer.out = to_json(*made).set("floor_seconds", floor).dump() + "\n";
  } else {
    answer.out =
        concat(to_text(*made), "  ", seconds_text(floor), " at least: its bytes or its operations at the peak\n");
  }
  return answer;
}

}  // namespace

VerbMain add_estimate(CLI::App& app) {
  auto options = std::make_shared<EstimateOptions>();
  CLI::App* verb = app.add_subcommand("estimate", "what a program is expected to take on a device, and why");
  verb->footer(
      "Nothing is run: a model of the device computes it from what each kernel does. docs/devices.md explains the "
      "parts.\n"
      "Exit status: 0 estimated, 1 the program has errors or cannot be lowered, 2 unreadable input or unknown device.\n"
      "Example: steptp estimate softmax.leir --device nvidia-h200");
  add_record_options(*verb, options->records);
  verb->add_option("--device", options->device, concat("the device: ", rate_names()))->capture_default_str();
  verb->add_option("--rates", options->rates, "a file with a table of rates, as `steptp device --json` prints it");
  return [options] {
    const auto rates = read_rates(*options);
    if (!rates) return Status::bad_input;
    return for_each_record(options->records.file, options->records.jobs, "estimate", [&](const Document& document) {
      return estimate_one(document, *rates, options->records.json);
    });
  };
}

}  // namespace steptp::cli
