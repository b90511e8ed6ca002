#include "steptp/verbs/torch_times.h"

#include <cstddef>
#include <string_view>

#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/process.h"
#include "steptp/base/text.h"

__asm__(
    ".section .rodata\n"
    "steptp_time_torch_begin:\n"
    ".incbin \"" STEPTP_DATA_DIR
    "/../python/steptp/time_torch.py\"\n"
    "steptp_time_torch_end:\n"
    ".byte 0\n"
    ".previous\n");

// NOLINTBEGIN(readability-identifier-naming): the names of symbols
extern "C" {
extern const char steptp_time_torch_begin[] __attribute__((visibility("hidden")));
extern const char steptp_time_torch_end[] __attribute__((visibility("hidden")));
}
// NOLINTEND(readability-identifier-naming)

namespace steptp {

namespace {

std::string_view script() {
  return {steptp_time_torch_begin, static_cast<std::size_t>(steptp_time_torch_end - steptp_time_torch_begin)};
}

double number_at(const Json& entry, std::string_view key) {
  const Json* value = entry.find(key);
  return value && value->is_number() ? value->number() : 0;
}

TimedDocument column_of(const Json& entry) {
  TimedDocument out;
  if (const Json* name = entry.find("name"); name && name->as_string()) out.name = *name->as_string();
  if (const Json* error = entry.find("error"); error && error->as_string()) {
    out.failure = CompiledFailure{CompiledFailure::Kind::refused, {}, {make_error("torch", *error->as_string())}};
    return out;
  }
  out.timing.status = Timing::Status::unchecked;
  out.timing.median = number_at(entry, "median_s");
  out.timing.spread = number_at(entry, "spread_s");
  out.timing.least = number_at(entry, "min_s");
  // The report has their number only.
  out.timing.samples.assign(static_cast<std::size_t>(number_at(entry, "samples")), out.timing.median);
  return out;
}

}  // namespace

Result<std::vector<TimedDocument>, Diagnostic> time_torch(const TorchTimesRequest& request) {
  const auto folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string program = folder->file("time_torch.py");
  const std::string report = folder->file("report.json");
  if (const auto written = write_file(program, script()); !written) return written.error();
  std::vector<std::string> command = {request.python,
                                      program,
                                      request.file,
                                      "--device",
                                      request.device,
                                      "--report",
                                      report,
                                      "--budget",
                                      std::to_string(request.budget_seconds),
                                      "--threads",
                                      std::to_string(request.threads)};
  if (!request.cold) command.emplace_back("--warm");
  const auto ran = run_process(command, request.timeout_seconds);
  if (!ran) return make_error("torch", ran.error().message, "--python names another Python");
  const auto text = read_file(report);
  const auto json = text ? parse_json(*text) : Result<Json, JsonError>(JsonError{});
  if (ran->timed_out || !json) {
    return make_error("torch", concat("PyTorch gave no times: ", ran->timed_out ? "it took too long" : ran->output));
  }
  if (const Json* error = json->find("error"); error && error->as_string()) {
    return make_error("torch", concat("PyTorch gave no times: ", *error->as_string()), "--python names another Python");
  }
  std::vector<TimedDocument> out;
  if (const Json* columns = json->find("columns"); columns && columns->as_array()) {
    for (const Json& entry : *columns->as_array()) out.push_back(column_of(entry));
  }
  return out;
}

}  // namespace steptp
