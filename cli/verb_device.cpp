#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <memory>

#include "cli/checks.h"
#include "cli/device_problem.h"
#include "cli/verb.h"
#include "steptp/base/text.h"
#include "steptp/estimate/rates.h"
#include "steptp/measure/calibration.h"

namespace steptp::cli {

namespace {

struct DeviceOptions {
  std::string name = "cpu";
  bool json = false;
  bool show = false;
  bool list = false;
  double budget = 0.3;
  unsigned threads = 0;
  WorkerOptions workers;
};

std::string figure(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string table_of(const DeviceRates& rates) {
  std::string out = concat(rates.name, " (", rates.source, ")\n");
  for (const RateRow& row : rate_rows()) {
    const double value = rates.*row.member;
    if (value == 0) continue;
    std::string line = concat("  ", row.name);
    line.resize(std::max<std::size_t>(line.size(), 22), ' ');
    append(line, figure(value), row.unit.empty() ? "" : " ", row.unit);
    line.resize(std::max<std::size_t>(line.size(), 44), ' ');
    append(out, line, row.words, "\n");
  }
  return out;
}

Status print_table(const DeviceRates& rates, bool json) {
  return write_out(json ? to_json(rates).dump() + "\n" : table_of(rates)) ? Status::yes : Status::failed;
}

Status list_devices() {
  std::string out;
  for (const DeviceRates& rates : shipped_rates()) append(out, rates.name, ": ", rates.source, "\n");
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
    const auto rates = find_rates(word_of(kind));
    const std::string name(word_of(kind));
    append(out, name, ": ", rates ? rates->source : device_problem("device", "", name, rates.error()).message, "\n");
  }
  return write_out(out) ? Status::yes : Status::failed;
}

Status measure(const DeviceOptions& options, DeviceKind kind) {
  CandidateOptions how = candidate_options(options.workers, kind);
  how.threads = options.threads;
  CandidatePool pool(how, 1);
  const auto rates = calibrate(pool, options.budget);
  if (!rates) {
    print_error(rates.error().diagnostic);
    return Status::failed;
  }
  if (const auto kept = keep_rates(*rates); !kept) {
    print_error(make_error("write", kept.error()));
    return Status::failed;
  }
  std::fputs(concat("steptp: kept in ", rates_file(kind), "\n").c_str(), stderr);
  return print_table(*rates, options.json);
}

Status run(const DeviceOptions& options) {
  if (options.list) return list_devices();
  const auto kind = read_word<DeviceKind>(options.name);
  if (kind && !options.show) return measure(options, *kind);
  const auto rates = find_rates(options.name);
  if (!rates) {
    print_error(device_problem("device", "", options.name, rates.error()));
    return Status::bad_input;
  }
  return print_table(*rates, options.json);
}

}  // namespace

VerbMain add_device(CLI::App& app) {
  auto options = std::make_shared<DeviceOptions>();
  CLI::App* verb =
      app.add_subcommand("device", "measure what this machine does in what time, or show a device's table");
  verb->footer(
      "cpu and cuda are this machine: a few small programs are timed and the rates kept, in $STEPTP_CONFIG,\n"
      "$XDG_CONFIG_HOME/steptp or ~/.config/steptp; a table name is that device, and is only shown. The rates are "
      "what\n"
      "`steptp estimate` computes with (docs/devices.md).\n"
      "Exit status: 0 done, 2 unknown device, 4 no device, or the rates could not be kept.\n"
      "Example: steptp device        steptp device nvidia-h200        steptp device --list");
  verb->add_option("NAME", options->name, concat("one of ", rate_names()))->capture_default_str();
  verb->add_flag("--show", options->show, "measure nothing: show the rates that are kept of this machine");
  verb->add_flag("--list", options->list, "all devices with rates, and where these come from");
  verb->add_flag("--json", options->json, "print the table as JSON, as `estimate --rates` reads it");
  verb->add_option("--budget", options->budget, "how many seconds each program is measured")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "how many CPU threads programs will use; 0 means all cores")
      ->capture_default_str();
  add_worker_options(*verb, options->workers);
  return [options] { return run(*options); };
}

}  // namespace steptp::cli
